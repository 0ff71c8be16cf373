"""Inner products inside kernels, at the speed of vector instructions."""

from edgeorbit.compiled import inlined

LANES = 8  # partial sums; a compiler that may not reorder additions cannot make several of one


@inlined
def inner_product(left, right, sums):
    """Return the inner product of two vectors; `sums` is an array of `LANES` numbers to write to."""
    whole = len(left) - len(left) % LANES
    for lane in range(LANES):
        sums[lane] = 0
    for start in range(0, whole, LANES):
        a, b = left[start : start + LANES], right[start : start + LANES]
        for lane in range(LANES):
            sums[lane] += a[lane] * b[lane]
    for channel in range(whole, len(left)):
        sums[0] += left[channel] * right[channel]
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]))
