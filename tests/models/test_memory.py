"""A model that would not fit into memory is refused before anything is written."""

import pytest

pytest.importorskip("torch_geometric")

from edgeorbit.errors import EdgeorbitError
from edgeorbit.graph.toys import karate
from edgeorbit.prediction import LinkPredictor


@pytest.mark.parametrize(
    ("name", "module", "way_out"),
    [
        ("seal", "edgeorbit.models.seal.subgraphs", "--set max_nodes_per_hop="),
        ("buddy", "edgeorbit.pairwise.sketches", "--set minhash="),
    ],
)
def test_what_does_not_fit_is_refused_with_the_way_out(name, module, way_out, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(f"{module}.available_memory", lambda: 1000)
    with pytest.raises(EdgeorbitError, match=way_out):
        LinkPredictor(name).fit(karate(), output=tmp_path / "run")
    assert not (tmp_path / "run").exists()
