"""NCNC."""

from typing import ClassVar

from edgeorbit.models.ncn.completion import CompletingDecoder
from edgeorbit.models.ncn.ncn import NCN
from edgeorbit.models.ncn.settings import COMPLETION_PRESETS, NCNCSettings


class NCNC(NCN):
    """NCNC: NCN with completion, where neighbours of one node count as common as far as NCN finds their link likely.

    Beside what `NCN` says, it differs from the original in this: links to complete are judged without dropout, and by
    the embeddings that NCN itself would see (the published code shifts common neighbours a second time); on ogbl-ddi
    it learns from the start, not from the weights of a trained NCN, and draws some candidates instead of all.
    """

    name = "ncnc"
    Settings = NCNCSettings
    presets: ClassVar = COMPLETION_PRESETS
    decoder = CompletingDecoder
    search_space: ClassVar = NCN.search_space | {"alpha": [0.3, 0.5, 1.0], "prior": [0.1, 0.5, 0.75]}
