"""Positions whose distances are those in the graph, as nearly as a plane allows."""

import numpy as np
import numpy.typing as npt

Positions = npt.NDArray[np.float64]

MULTIPLICATIONS = 60
MAX_ROUNDS = 300
STILL = 1e-4  # a round that lowers the stress by less than this share of it is the last
SPREADING_ROUNDS = 80
COINCIDENT = 1e-9


def scale_classically(distance: npt.NDArray[np.float64]) -> Positions:
    """Return the projection of the graph's distances on a plane (Torgerson's scaling): a start for `minimise_stress`.

    >>> line = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    >>> np.ptp(scale_classically(line), axis=0).round(6).tolist()
    [3.0, 0.0]
    """
    centred = distance**2
    centred -= centred.mean(axis=0)
    centred -= centred.mean(axis=1)[:, None]
    centred *= -0.5
    # The two longest directions by repeated multiplication: exact enough for a start, and far quicker than all of them.
    plane = np.random.default_rng(0).normal(size=(len(distance), 2))
    for _ in range(MULTIPLICATIONS):
        plane, lengths = np.linalg.qr(centred @ plane)
    turned, sizes, _ = np.linalg.svd(lengths)
    scaled: Positions = plane @ turned * np.sqrt(sizes)
    return scaled


def minimise_stress(distance: npt.NDArray[np.float64], start: Positions) -> tuple[Positions, float]:
    """Move nodes until their distances in the plane are near those in the graph, short ones first of all.

    Minimises the sum over node pairs of `(|x_u - x_v| - d_uv)^2 / d_uv^2` by majorisation: each round solves a linear
    system whose matrix is always the same, so it is inverted once.

    Parameters
    ----------
    distance
        Distances in a connected graph: 0 on the diagonal, positive elsewhere.
    start
        Positions to start from; no two of them should be equal.

    Returns
    -------
    positions, stress

    References
    ----------
    E. Gansner, Y. Koren and S. North, Graph drawing by stress majorization, Graph Drawing 2004.

    Examples
    --------
    >>> triangle = 1.0 - np.eye(3)
    >>> positions, stress = minimise_stress(triangle, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    >>> stress < 1e-3
    True
    """
    apart = distance > 0
    weight = np.divide(1.0, distance**2, where=apart, out=np.zeros_like(distance))
    pull = weight * distance
    # Adding a constant makes the Laplacian invertible, and moves no position that is centred.
    inverse = np.linalg.inv(np.diag(weight.sum(axis=1)) - weight + 1 / len(distance))
    positions = start - start.mean(axis=0)
    stress = np.inf
    drawn, other = np.empty_like(distance), np.empty_like(distance)
    for _ in range(MAX_ROUNDS):
        np.subtract.outer(positions[:, 0], positions[:, 0], out=drawn)
        np.subtract.outer(positions[:, 1], positions[:, 1], out=other)
        drawn *= drawn  # in place and without hypot, which is careful about overflow and ten times as slow
        other *= other
        drawn += other
        np.sqrt(drawn, out=drawn)
        np.subtract(drawn, distance, out=other)
        before, stress = stress, float(np.einsum("ij,ij,ij->", weight, other, other) / 2)
        if before - stress <= STILL * stress:
            break
        np.maximum(drawn, COINCIDENT, out=drawn)  # also on the diagonal, where the pull is 0
        ratio = np.divide(pull, drawn, out=drawn)
        positions = inverse @ (ratio.sum(axis=1)[:, None] * positions - ratio @ positions)
    return positions, stress


def spread_apart(positions: Positions, least: float) -> Positions:
    """Push nodes that lie closer than `least` away from each other, until few do.

    >>> np.round(spread_apart(np.array([[0.0, 0.0], [0.2, 0.0], [3.0, 0.0]]), 1.0), 1).tolist()
    [[-0.4, 0.0], [0.6, 0.0], [3.0, 0.0]]
    """
    from scipy.spatial import KDTree

    moved = positions.copy()
    for _ in range(SPREADING_ROUNDS):
        left, right = KDTree(moved).query_pairs(0.98 * least, output_type="ndarray").T
        if len(left) == 0:
            break
        step = moved[left] - moved[right]
        length = np.maximum(np.hypot(*step.T), COINCIDENT)
        push = step * (0.3 * (least - length) / length)[:, None]
        np.add.at(moved, left, push)
        np.subtract.at(moved, right, push)
    return moved
