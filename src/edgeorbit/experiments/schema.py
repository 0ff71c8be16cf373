"""What may stand in an experiment file and in a file of tuned settings, as pydantic models.

Types and fixed choices are checked here; names that depend on other parts of the file are checked in `_checking`.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from edgeorbit.data.features import FeatureMode

Kind = Literal["table", "curve", "ablation", "dropout", "time", "statistics"]
NegativesName = Literal["random", "heart", "orbit"]
Names = Annotated[list[str], Field(min_length=1)]
NegativesNames = Annotated[list[NegativesName], Field(min_length=1)]
FeatureModes = Annotated[list[FeatureMode], Field(min_length=1)]
MOST_SEEDS = 10_000  # whose runs are still planned in a second
Seeds = Annotated[int, Field(ge=1, le=MOST_SEEDS)]
Figures = Annotated[list[float], Field(min_length=1, max_length=2)]


class Section(BaseModel):
    """A table of the file: keys that it does not know are errors, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class VariantSection(Section):
    """`[variants."NAME"]`: a model with settings of its own."""

    model: str
    settings: dict[str, Any] = {}
    training: dict[str, Any] = {}


class QuickSection(Section):
    """`[quick]`: what `--quick` runs."""

    models: Names | None = None
    data: Names | None = None
    epochs: Annotated[int, Field(ge=1)] = 2


class DataSection(Section):
    """`[[data]]`: a graph, and what holds for it alone."""

    name: str | None = None
    source: str | None = None
    features_from: str | None = None
    generator: str | None = None
    options: dict[str, Any] | None = None
    features: FeatureModes = ["original"]
    features_of: dict[str, FeatureModes] = {}  # by model, which of these it is run with; default: as for all graphs
    negatives: NegativesNames | None = None
    orbit_rounds: Annotated[int, Field(ge=0)] | None = None
    exact: bool = False  # whether rows of orbit negatives have the bound of the automorphism group, too
    seeds: Seeds | None = None
    models: Names | None = None
    also: dict[str, Seeds] = {}  # further models, and how many seeds they have: slow ones, few
    training: dict[str, Any] = {}
    training_of: dict[str, dict[str, Any]] = {}  # by model, in the place of all others
    settings: dict[str, dict[str, Any]] = {}  # by model, in the place of all others, tuned ones too
    search: dict[str, Any] = {}  # in the place of the ranges for all graphs
    tuned_as: str | None = None
    series: str | None = None  # the curve against EAR that the graph is a point of
    stated: dict[str, float] = {}

    @property
    def title(self) -> str:
        """What tables call the graph."""
        return self.name or self.source or ""

    @property
    def searched(self) -> str:
        """The graph that settings are searched on: this one, or another of its kind."""
        return self.tuned_as or self.title


class ExperimentFile(Section):
    """An experiment file."""

    title: str = "Results"
    kind: Kind = "table"
    protocol: str = ""
    remarks: str = ""  # what readers of the tables must know, such as models that are trained otherwise than the rest
    seeds: Seeds = 5
    models: Names | None = None
    negatives: NegativesNames = ["random"]
    backtest: bool = (
        False  # whether rows have the precision of the first 100 predicted links, which takes all candidates
    )
    tuned: str | None = None
    training: dict[str, Any] = {}
    training_of: dict[str, dict[str, Any]] = {}  # by model, in the place of those for all
    features_of: dict[str, FeatureModes] = {}  # by model, which of a graph's it is run with; default: all of them
    settings: dict[str, dict[str, Any]] = {}
    search: dict[str, Any] = {}  # by setting, what tune searches, though the file sets it: values, or "LOW..HIGH"
    variants: dict[str, VariantSection] = {}
    quick: QuickSection = QuickSection()
    data: Annotated[list[DataSection], Field(min_length=1)]
    published: dict[str, dict[str, dict[str, dict[str, Figures]]]] = {}
    published_features: FeatureModes | None = None  # of the published figures; default: whatever ours are


class Confirmation(BaseModel):
    """`confirmed` of a tuned entry: that what was found, and the defaults, were trained for so many epochs."""

    model_config = ConfigDict(extra="ignore", strict=True)

    epochs: int


class TunedEntry(BaseModel):
    """`[[tuned]]`: what was found for a model on a graph, and how, which is unknown where a person wrote it."""

    model_config = ConfigDict(extra="ignore", strict=True)

    data: str
    features: FeatureMode
    model: str
    settings: dict[str, Any] = {}
    training: dict[str, Any] = {}
    trials: int | None = None
    epochs: int | None = None
    metric: str | None = None
    confirmed: Confirmation | None = None

    @property
    def has_defaults(self) -> bool:
        """Whether nothing was found that is better than the defaults."""
        return not self.settings and not self.training


class TunedFile(Section):
    """A file of tuned settings."""

    tuned: list[TunedEntry] = []
