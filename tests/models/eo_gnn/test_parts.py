"""Role embeddings, the orbit bias and the three-term decoder, against their equations."""

import numpy as np
import pytest

pytest.importorskip("torch_geometric")

import torch
from torch_geometric.nn import GATConv, GCNConv

from edgeorbit.errors import InvalidParameterError
from edgeorbit.graph.families import cycle, path
from edgeorbit.graph.toys import karate
from edgeorbit.models.eo_gnn.parts import TERMS, OrbitBiased, OrbitDecoder, RoleEmbedding

KARATE = torch.from_numpy(karate().edge_index)


def test_nodes_of_one_role_share_a_row_across_graphs() -> None:
    roles = RoleEmbedding(8, tau=0.0, rounds=2)
    short, long = (roles(torch.from_numpy(path(n).edge_index)) for n in (9, 30))
    assert torch.equal(short[0], long[29]) and torch.equal(short[4], long[15]) and not torch.equal(short[0], short[4])


def test_noise_has_the_deviation_tau_and_is_fixed_in_use() -> None:
    edge_index = torch.from_numpy(cycle(2000).edge_index)
    noisy, plain = RoleEmbedding(8, tau=0.3), RoleEmbedding(8, tau=0.0)
    plain.load_state_dict(noisy.state_dict())
    difference = noisy(edge_index) - plain(edge_index)
    assert difference.std().item() == pytest.approx(0.3, rel=0.05)
    assert not torch.equal(noisy(edge_index), noisy(edge_index))
    assert torch.equal(noisy.eval()(edge_index), noisy(edge_index))


def test_a_table_of_one_row_gives_all_nodes_the_same() -> None:
    rows = RoleEmbedding(4, num_roles=1, tau=0.0)(KARATE)
    assert (rows == rows[0]).all()


@pytest.mark.parametrize("settings", [{"tau": -0.1}, {"num_roles": 0}, {"channels": 0}, {"rounds": -1}])
def test_impossible_roles_are_refused(settings) -> None:
    with pytest.raises(InvalidParameterError):
        RoleEmbedding(**{"channels": 4} | settings)


@pytest.mark.parametrize("conv", [GCNConv(5, 6), GATConv(5, 3, heads=2)])
def test_a_biased_layer_adds_the_mapped_roles(conv) -> None:
    x, roles = torch.randn(34, 5), torch.randn(34, 7)
    layer = OrbitBiased(conv, role_channels=7, out_channels=6)
    assert torch.allclose(layer(x, KARATE, roles=roles), conv(x, KARATE) + roles @ layer.bias.weight.T)


def test_a_layer_that_does_not_say_its_width_needs_it_given() -> None:
    with pytest.raises(InvalidParameterError, match="out_channels"):
        OrbitBiased(torch.nn.Identity(), role_channels=4)


@pytest.mark.parametrize("left_out", [(), ("cn",), ("hadamard", "roles"), ("roles",)])
def test_the_decoder_adds_up_the_terms_that_are_left(left_out) -> None:
    x, roles = torch.randn(34, 6), torch.randn(34, 5)
    pairs = torch.randint(34, (40, 2))
    decoder = OrbitDecoder(6, 5, without=left_out)
    neighbours = [set(row.tolist()) for row in np.split(karate().indices, karate().indptr[1:-1])]
    expected = []
    for u, v in pairs.tolist():
        seen = {
            "cn": sum((x[w] for w in neighbours[u] & neighbours[v]), start=torch.zeros(6)),
            "hadamard": x[u] * x[v],
            "roles": roles[u] * roles[v],
        }
        total = sum(decoder.terms[name](seen[name]) for name in TERMS if name not in left_out)
        expected.append(decoder.final(torch.relu(total)))
    assert torch.allclose(decoder(x, roles, pairs.T, KARATE), torch.cat(expected), atol=1e-5)


@pytest.mark.parametrize(("left_out", "said"), [(("common",), "choose from cn"), (TERMS, "needs one of its terms")])
def test_terms_that_do_not_exist_and_decoders_without_any_are_refused(left_out, said) -> None:
    with pytest.raises(InvalidParameterError, match=said):
        OrbitDecoder(4, 4, without=left_out)
