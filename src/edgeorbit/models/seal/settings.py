"""The settings of SEAL."""

from dataclasses import dataclass

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import Settings, require_positive


@dataclass(frozen=True)
class SEALSettings(Settings):
    """The settings of SEAL; the defaults are those of its authors."""

    hops: int = 1  # how far subgraphs reach; 3 on the Planetoid graphs
    max_nodes_per_hop: int = 0  # a random sample of so many at each distance; 0: all
    hidden_channels: int = 32
    num_layers: int = 3  # and one more of a single channel, by which nodes are sorted
    use_features: bool = True  # beside the labels
    sort_share: float = 0.6  # of subgraphs that sort pooling keeps all nodes of
    num_labels: int = 1000  # rows of the table; farther nodes share the last one
    dropout: float = 0.5  # of the perceptron
    cache: str = ""  # a directory for the subgraphs of pairs that are scored; none: extracted each time

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hops", "hidden_channels", "num_layers", "sort_share")
        if self.max_nodes_per_hop < 0:
            raise InvalidParameterError(
                f"max_nodes_per_hop must be 0, for all nodes, or more, not {self.max_nodes_per_hop}"
            )
        if self.sort_share > 1:
            raise InvalidParameterError(f"sort_share must be at most 1, not {self.sort_share}")
        if self.num_labels < 2:
            raise InvalidParameterError(f"num_labels must be at least 2, not {self.num_labels}")
        if not 0 <= self.dropout < 1:
            raise InvalidParameterError(f"dropout must be at least 0 and below 1, not {self.dropout}")

    @property
    def max_nodes(self) -> int | None:
        """The bound of nodes per hop, if there is one."""
        return self.max_nodes_per_hop or None
