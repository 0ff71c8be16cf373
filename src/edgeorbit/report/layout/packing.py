"""Rectangles side by side on a page, none over another."""

import numpy as np
import numpy.typing as npt

WIDTHS_TRIED = 24


def pack_rectangles(sizes: npt.NDArray[np.float64], aspect: float) -> npt.NDArray[np.float64]:
    """Return the lower left corners of rectangles on a page of the given proportion, the tallest first, from below.

    Each lies as low as it can, then as far left as it can. Several widths of the page are tried, and the one is taken
    that shows the rectangles largest.

    Parameters
    ----------
    sizes : array of shape (k, 2)
        Widths and heights.
    aspect
        Width over height of the page.

    Examples
    --------
    >>> pack_rectangles(np.array([[2.0, 2.0], [1.0, 1.0], [1.0, 1.0]]), aspect=1.5).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0]]
    """
    order = np.lexsort((-sizes[:, 0], -sizes[:, 1]))
    narrowest, widest = float(sizes[:, 0].max()), float(sizes[:, 0].sum())
    best, best_extent = np.zeros_like(sizes), np.inf
    for width in np.geomspace(narrowest, widest, WIDTHS_TRIED if len(sizes) > 1 else 1):
        corners = _pack_within(sizes, order, float(width) * (1 + 1e-9))
        right, top = (corners + sizes).max(axis=0)
        extent = max(right / aspect, top)
        if extent < best_extent * (1 - 1e-9):
            best, best_extent = corners, extent
    return best


def _pack_within(sizes: npt.NDArray[np.float64], order: npt.NDArray[np.int64], width: float) -> npt.NDArray[np.float64]:
    """Pack into a strip. `skyline` lists where the upper border of what is packed changes its height."""
    corners = np.empty_like(sizes)
    skyline = [(0.0, 0.0)]
    for number in order.tolist():
        wide, tall = sizes[number].tolist()
        y, x = min(
            (max(level for start, level in _between(skyline, x, x + wide)), x)
            for x, _ in skyline
            if x + wide <= width or x == 0
        )
        corners[number] = x, y
        after = _between(skyline, x + wide, np.inf)
        before = [(start, level) for start, level in skyline if start < x]
        skyline = [*before, (x, y + tall), *((max(start, x + wide), level) for start, level in after)]
    return corners


def _between(skyline: list[tuple[float, float]], low: float, high: float) -> list[tuple[float, float]]:
    """Return the pieces of the skyline that lie at least partly between two places."""
    ends = [start for start, _ in skyline[1:]] + [np.inf]
    slack = 1e-9 * max(1.0, abs(low))
    return [piece for piece, end in zip(skyline, ends, strict=True) if end > low + slack and piece[0] < high - slack]
