"""The processes that train one model together, as seen from one of them."""

from typing import TYPE_CHECKING, Any

from edgeorbit.errors import EdgeorbitError

if TYPE_CHECKING:
    from torch import Tensor

GO_ON = "give the same command again to go on from the last checkpoint"


class LostProcessError(EdgeorbitError):
    """A process that trains with this one has ended, or cannot be reached."""


class Group:
    """A process that trains alone; `JoinedGroup` is one of several.

    Attributes
    ----------
    rank, size : int
        The number of this process, from 0, and how many there are.
    """

    rank: int = 0
    size: int = 1

    def share(self, count: int) -> slice:
        """Return which of so many things are this process's: every `size`-th, so that all shares are alike.

        >>> list(range(5))[Group().share(5)]
        [0, 1, 2, 3, 4]
        """
        return slice(self.rank, count, self.size)

    def add_up(self, values: "Tensor") -> "Tensor":
        """Put the sum over all processes in the place of the values, the same bits everywhere; return them."""
        return values

    def tell(self, what: Any) -> Any:
        """Return what the first process says."""
        return what
