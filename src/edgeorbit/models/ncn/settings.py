"""The settings of NCN and NCNC, and those that were published for data sets."""

from dataclasses import dataclass
from typing import Any

from edgeorbit.errors import InvalidParameterError
from edgeorbit.models.base import Preset, Settings, require_positive

CONVOLUTIONS = ("gcn", "sum")


@dataclass(frozen=True)
class NCNSettings(Settings):
    """The settings of NCN; the defaults are those of Li et al. 2023 for CiteSeer."""

    hidden_channels: int = 256
    num_layers: int = 1
    convolution: str = "gcn"  # averages by degrees; "sum" adds neighbours up, as the authors do on ogbl-ddi
    jumping: bool = True  # all layers are added up, each with a learned weight
    residual: bool = False  # every layer keeps what it was given
    feature_dropout: float = 0.4
    dropout: float = 0.5  # of the encoder
    last_dropout: float = 0.0  # after its last layer
    decoder_dropout: float = 0.5
    edge_dropout: float = 0.0  # of the edges that make common neighbours
    layer_norm: bool = True  # in the decoder; the encoder has none
    mapped_neighbours: bool = True  # common neighbours go through a network before they are added up
    last_activation: bool = True  # the two terms end with ReLU, instead of a linear map
    final_layers: int = 2  # of the decoder, over the sum of both terms, before the last map

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        require_positive(self, "hidden_channels", "num_layers", "final_layers")
        for name in ("feature_dropout", "dropout", "last_dropout", "decoder_dropout", "edge_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidParameterError(f"{name} must be at least 0 and below 1, not {getattr(self, name)}")
        if self.convolution not in CONVOLUTIONS:
            raise InvalidParameterError(
                f"there is no convolution {self.convolution!r}; choose from {', '.join(CONVOLUTIONS)}"
            )


@dataclass(frozen=True)
class NCNCSettings(NCNSettings):
    """The settings of NCNC."""

    scale: float = 6.5  # the probability that a link is missing is sigmoid(scale * (logit - offset)), ...
    offset: float = 4.4
    prior: float = 0.75  # ... recalibrated to this share of links among candidates, ...
    alpha: float = 0.4  # ... times this
    depth: int = 1  # 2: the links to complete are judged by completed common neighbours themselves
    completed: int = 0  # candidates drawn from the neighbours of either node; 0: all of them

    def __post_init__(self) -> None:
        """Refuse values that make no network."""
        super().__post_init__()
        require_positive(self, "scale", "depth")
        if not 0 < self.prior < 1:
            raise InvalidParameterError(f"prior is a share above 0 and below 1, not {self.prior}")
        if self.alpha < 0 or self.completed < 0:
            raise InvalidParameterError(f"alpha and completed must be 0 or more, not {self.alpha} and {self.completed}")


def _preset(training: dict[str, Any], **settings: Any) -> Preset:
    return Preset(settings, training)


# Of Li et al. 2023 for the Planetoid graphs, and of the authors for ogbl-ddi, whose two learning rates (0.0021 for the
# encoder, 0.0018 for the decoder) are one here.
PRESETS = {
    "*": _preset({"batch_size": 1024, "learning_rate": 0.001, "patience": 10}),
    "cora": _preset(
        {"learning_rate": 0.01, "weight_decay": 1e-4},
        **{"hidden_channels": 128, "num_layers": 2, "feature_dropout": 0.7, "dropout": 0.1, "last_dropout": 0.3},
        **{"decoder_dropout": 0.1, "edge_dropout": 0.4, "final_layers": 1},
    ),
    "citeseer": _preset({"weight_decay": 1e-7}),
    "pubmed": _preset(
        {}, num_layers=3, feature_dropout=0.3, dropout=0.3, last_dropout=0.0, decoder_dropout=0.3, final_layers=1
    ),
    "ogbl-ddi": _preset(
        {"batch_size": 24576, "learning_rate": 0.002, "epochs": 100},
        **{"hidden_channels": 224, "convolution": "sum", "jumping": False, "residual": True},
        **{"feature_dropout": 0.0, "dropout": 0.4, "decoder_dropout": 0.6, "last_activation": False},
    ),
}
COMPLETION_PRESETS = {
    name: preset | Preset(settings)
    for (name, preset), settings in zip(
        PRESETS.items(),
        (
            {},
            {"scale": 4.3, "offset": 2.8, "alpha": 1.0},
            {},
            {"scale": 5.3, "offset": 0.5, "prior": 0.5, "alpha": 0.3},
            # All candidates of a pair of ogbl-ddi are about a thousand; eight of them are an estimate that ends.
            {"scale": 10.0, "offset": 3.0, "prior": 0.1, "alpha": 0.5, "completed": 4},
        ),
        strict=True,
    )
}
