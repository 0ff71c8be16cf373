"""The sweep as a data set: what its items hold, what is stored, and that nothing stale or foreign is read."""

import io
import os
import pickle
import random
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse

from edgeorbit import Graph, ear, from_pyg, write_graph
from edgeorbit.data import load_graph
from edgeorbit.errors import EdgeorbitError, GraphFormatError, InvalidParameterError, UnreachableTargetError
from edgeorbit.graph.graph import ADDED, EDGE_KINDS, ORIGINAL, TWIN, Origin
from edgeorbit.graph.toys import karate
from edgeorbit.synthetic import sweep

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import torch_geometric.transforms as T  # noqa: E402, N812
from torch_geometric.data import Batch, Data, HeteroData, InMemoryDataset  # noqa: E402
from torch_geometric.loader import DataLoader  # noqa: E402

from edgeorbit.pyg import AddOrbits, SyntheticSweep  # noqa: E402
from edgeorbit.synthetic import saving  # noqa: E402

KARATE = {"name": "syn-karate", "ears": [0.3, 0.6]}


def same(first: Data, second: Data) -> bool:
    one, other = first.to_dict(), second.to_dict()
    return one.keys() == other.keys() and all(
        torch.equal(one[key], other[key]) if torch.is_tensor(one[key]) else one[key] == other[key] for key in one
    )


def files(root):
    return sorted(file.name for file in (root / "processed").iterdir())


@pytest.fixture
def made(monkeypatch):
    """How often graphs are made."""
    calls = []
    process = SyntheticSweep.process
    monkeypatch.setattr(SyntheticSweep, "process", lambda self: calls.append(self.name) or process(self))
    return calls


@pytest.mark.parametrize("rounds", [None, 2])
def test_items_have_the_ear_that_was_asked_for(tmp_path, rounds):
    dataset = SyntheticSweep(tmp_path, **KARATE, rounds=rounds)
    assert isinstance(dataset, InMemoryDataset)
    assert len(dataset) == 2
    for data, target in zip(dataset, KARATE["ears"], strict=True):
        measured = ear(from_pyg(data), rounds=rounds)
        assert abs(measured - target) <= 0.01
        assert data.ear.item() == pytest.approx(measured, abs=1e-7)
        assert data.ear_target.item() == pytest.approx(target, abs=1e-7)
        assert data.rounds.tolist() == [-1 if rounds is None else rounds]
        assert data.validate()
        assert data.is_undirected()


def test_items_know_where_their_nodes_and_edges_come_from(tmp_path):
    labelled = karate().with_attributes(x=np.arange(68).reshape(34, 2), y=np.arange(34, dtype=np.int32))
    settings = {"ears": [0.2, 0.6], "of": labelled, "seed": 3}
    dataset = SyntheticSweep(tmp_path, "disjoint-copies", **settings)
    kinds = set()
    for data, graph in zip(dataset, sweep("disjoint-copies", **settings), strict=True):
        kind_of = dict(zip(map(tuple, graph.edges.tolist()), graph.origin.edge_kind.tolist(), strict=True))
        assert data.edge_kind.tolist() == [kind_of[min(u, v), max(u, v)] for u, v in data.edge_index.T.tolist()]
        for name in ("copy", "original", "twin_of"):
            assert data[name].dtype == torch.long
            assert data[name].tolist() == getattr(graph.origin, name).tolist()
        assert (data.x.dtype, data.y.dtype) == (torch.float, torch.long)
        assert data.x.tolist() == [[2 * node, 2 * node + 1] for node in data.original.tolist()]
        assert torch.equal(data.y, data.original)
        within = data.edge_kind == ORIGINAL
        source = {tuple(edge) for edge in karate().edges.tolist()}
        ends = data.original[data.edge_index[:, within]]
        assert {(min(u, v), max(u, v)) for u, v in ends.T.tolist()} == source
        twins = data.twin_of >= 0
        assert torch.equal(data.original[twins], data.original[data.twin_of[twins]])
        kinds |= set(data.edge_kind.tolist())
    assert kinds == {ORIGINAL, ADDED, TWIN} == set(range(len(EDGE_KINDS)))


def test_graphs_without_features_have_none_until_they_are_asked_for(tmp_path):
    bare = SyntheticSweep(tmp_path, **KARATE)
    assert bare[0].x is None
    assert (bare.num_features, bare.num_classes) == (0, 0)
    assert bare[1].num_nodes == len(bare[1].copy) > bare[0].num_nodes
    constant = SyntheticSweep(tmp_path, **KARATE, features="constant")
    assert torch.equal(constant[0].x, torch.ones(constant[0].num_nodes, 1))
    identity = SyntheticSweep(tmp_path, "syn-karate", ears=[0.6], features="identity")
    assert torch.equal(identity[0].x, torch.eye(identity[0].num_nodes))


def test_graphs_come_back_from_the_disk_as_they_were_made(tmp_path, made):
    settings = {**KARATE, "features": "random"}
    first = SyntheticSweep(str(tmp_path), **settings)
    again = SyntheticSweep(tmp_path, **settings, threads=1)
    assert made == ["syn-karate"]
    assert all(same(*items) for items in zip(first, again, strict=True))
    forced = SyntheticSweep(tmp_path, **settings, force_reload=True)
    assert len(made) == 2
    assert all(same(*items) for items in zip(first, forced, strict=True))
    assert len(files(tmp_path)) == 1


def test_a_sweep_of_one_graph_looks_like_one_of_many(tmp_path):
    one = SyntheticSweep(tmp_path, "syn-karate", ears=[0.6])
    again = SyntheticSweep(tmp_path, "syn-karate", ears=[0.6])
    several = SyntheticSweep(tmp_path, **KARATE)
    assert len(one) == len(again) == 1
    assert same(one[0], again[0])
    assert same(one[0], several[1])


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"ears": [0.3, 0.7]},
        {"ears": [0.6, 0.3]},
        {"rounds": 2},
        {"features": "degree"},
        {"copies": 3},
        {"inter": 0.5},
        {"name": "syn-two-copies"},
        {"pre_transform": T.AddSelfLoops()},
        {"pre_transform": AddOrbits()},
        {"pre_filter": bool},
    ],
)
def test_no_setting_is_answered_with_the_graphs_of_another(tmp_path, made, other):
    first = SyntheticSweep(tmp_path, **KARATE)
    second = SyntheticSweep(tmp_path, **KARATE | other)
    assert len(made) == 2
    assert len(files(tmp_path)) == 2
    if "pre_filter" not in other:
        assert not all(same(*items) for items in zip(first, second, strict=True))
    assert all(same(*items) for items in zip(first, SyntheticSweep(tmp_path, **KARATE), strict=True))
    assert len(made) == 2


def test_graphs_of_another_format_are_made_again_and_those_of_another_version_are_not(tmp_path, made, monkeypatch):
    SyntheticSweep(tmp_path, **KARATE)
    monkeypatch.setattr("edgeorbit.__version__", "999")
    SyntheticSweep(tmp_path, **KARATE)
    assert len(files(tmp_path)) == 1
    monkeypatch.setattr(saving, "FORMAT", 999)
    SyntheticSweep(tmp_path, **KARATE)
    assert len(files(tmp_path)) == len(made) == 2


def test_sources_that_are_made_count_by_their_names(tmp_path, made):
    first, second = (SyntheticSweep(tmp_path, "disjoint-copies", ears=[None], of=of) for of in ("grid", "prism"))
    assert len(files(tmp_path)) == 2 and first[0].num_nodes != second[0].num_nodes


def test_the_content_of_a_source_counts_and_not_its_place(tmp_path, made):
    source = tmp_path / "graph.csv"
    write_graph(karate(), source)
    (tmp_path / "elsewhere").mkdir()
    for path in (source, tmp_path / "elsewhere" / "graph.csv"):
        path.write_bytes(source.read_bytes())
        SyntheticSweep(tmp_path, "disjoint-copies", ears=[0.5], of=path)
    assert len(made) == 1
    write_graph(Graph.from_edges(np.concatenate([karate().edges, [[0, 33]]])), source)
    SyntheticSweep(tmp_path, "disjoint-copies", ears=[0.5], of=source)
    assert len(made) == 2


@pytest.mark.parametrize("part", ["x", "y", "edges"])
def test_every_part_of_a_given_graph_counts(tmp_path, made, part):
    x, y, edges = np.zeros((34, 1), np.float32), np.zeros(34, int), karate().edges
    first = Graph.from_edges(edges, x=x, y=y)
    x, y = x + (part == "x"), y + (part == "y")
    second = Graph.from_edges(edges[:-1] if part == "edges" else edges, 34, x=x.astype(np.float32), y=y)
    for graph in (first, first.with_attributes(name="again"), second):
        SyntheticSweep(tmp_path, "twins", ears=[0.5], of=graph)
    assert len(made) == 2


def test_sparse_features_and_the_origin_of_a_given_graph_count(tmp_path, made):
    ones = scipy.sparse.csr_array(np.ones((34, 1), np.float32))
    wider = scipy.sparse.csr_array((ones.data, ones.indices, ones.indptr), shape=(34, 2))
    origin = Origin.plain(34, 78)
    added = replace(origin, edge_kind=np.full(78, ADDED, np.uint8))
    for attributes in ({"x": ones}, {"x": 2 * ones}, {"x": wider}, {"origin": origin}, {"origin": added}):
        SyntheticSweep(tmp_path, "twins", ears=[None], of=karate().with_attributes(**attributes))
    assert len(made) == len(files(tmp_path)) == 5


def test_settings_of_transforms_count_and_functions_without_a_pickle_are_never_trusted(tmp_path, made):
    several = [AddOrbits(0), AddOrbits(1), AddOrbits(initial=torch.arange(34)), T.AddSelfLoops(), T.AddSelfLoops("w")]
    for transform in several:
        SyntheticSweep(tmp_path, "twins", ears=[None], of="karate", pre_transform=transform)
    assert len(files(tmp_path)) == len(made) == len(several)
    for value in (1, 2):
        dataset = SyntheticSweep(
            tmp_path, **KARATE, pre_transform=lambda data, value=value: data.update({"value": torch.tensor([value])})
        )
        assert [data.value.item() for data in dataset] == [value, value]


def test_indexing_slicing_copying_and_loading_in_batches(tmp_path):
    dataset = SyntheticSweep(tmp_path, "syn-karate", ears=[0.3, 0.6, 0.9])
    assert repr(dataset) == "SyntheticSweep(3, name='syn-karate', rounds=None, seed=0)"
    assert repr(dataset[1:]) == "SyntheticSweep(2, name='syn-karate', rounds=None, seed=0)"
    assert same(dataset[1:][0], dataset[1])
    assert same(dataset[-1], dataset[torch.tensor([2])][0])
    assert same(dataset.copy()[2], dataset[2])
    assert dataset.ear_target.tolist() == pytest.approx([0.3, 0.6, 0.9])
    (batch,) = DataLoader(dataset, batch_size=3)
    assert batch.num_graphs == 3
    assert batch.ear.shape == batch.ear_target.shape == batch.rounds.shape == (3,)
    assert all(same(*items) for items in zip(batch.to_data_list(), dataset, strict=True))


def test_twins_in_a_batch_are_found_as_documented(tmp_path):
    batch = Batch.from_data_list(list(SyntheticSweep(tmp_path, **KARATE)))
    twin_of = torch.where(batch.twin_of < 0, -1, batch.twin_of + batch.ptr[batch.batch])
    twin = (twin_of >= 0).nonzero().flatten()
    assert len(twin) > 0
    assert torch.equal(batch.batch[twin_of[twin]], batch.batch[twin])
    assert torch.equal(batch.original[twin_of[twin]], batch.original[twin])
    assert torch.equal(batch.copy[twin_of[twin]], batch.copy[twin])


def test_transforms_apply_before_storing_and_at_every_access(tmp_path, made):
    later = SyntheticSweep(tmp_path, **KARATE, transform=AddOrbits(sizes=True))
    before = SyntheticSweep(tmp_path, **KARATE, pre_transform=T.Compose([AddOrbits(sizes=True)]))
    again = SyntheticSweep(tmp_path, **KARATE, pre_transform=T.Compose([AddOrbits(sizes=True)]))
    assert len(made) == 2
    for one, two, three in zip(later, before, again, strict=True):
        assert same(one, two)
        assert same(two, three)
        share = (one.edge_orbit_size > 1).float().mean()
        assert share.item() == pytest.approx(one.ear.item(), abs=1e-6)
    piped = list(SyntheticSweep(tmp_path, **KARATE).to_datapipe().add_orbits(sizes=True))
    assert all(same(*items) for items in zip(piped, later, strict=True))


def is_high(data):
    return data.ear_target > 0.5


def is_absurd(data):
    return data.ear_target > 2


def test_filters_keep_what_they_should(tmp_path):
    kept = SyntheticSweep(tmp_path, **KARATE, pre_filter=is_high)
    assert [data.ear_target.item() for data in kept] == pytest.approx([0.6])
    with pytest.raises(InvalidParameterError, match="pre_filter keeps none of 2 graphs"):
        SyntheticSweep(tmp_path, **KARATE, pre_filter=is_absurd)


def test_a_graph_that_is_not_dialled_has_no_target(tmp_path):
    (data,) = SyntheticSweep(tmp_path, "syn-karate", ears=[None])
    assert data.ear.item() == 1
    assert data.ear_target.isnan().all()


def test_arrays_and_tensors_of_ears_are_the_same_as_lists(tmp_path, made):
    for ears in ([0.25, 0.5], (0.25, 0.5), np.array([0.25, 0.5]), torch.tensor([0.25, 0.5])):
        SyntheticSweep(tmp_path, "syn-karate", ears=ears, seed=np.int64(0))
    assert len(made) == 1


class Touch:
    """Unpickled, it makes a directory."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("legacy", [False, True])
def test_no_file_in_the_directory_can_run_code(tmp_path, legacy):
    SyntheticSweep(tmp_path, **KARATE)
    (name,) = files(tmp_path)
    touched = tmp_path / "touched"
    for note in ("pre_transform.pt", "pre_filter.pt"):
        torch.save(Touch(touched), tmp_path / "processed" / note)
    SyntheticSweep(tmp_path, **KARATE)
    torch.save(
        {"data": Touch(touched), "slices": None},
        tmp_path / "processed" / name,
        _use_new_zipfile_serialization=not legacy,
    )
    with pytest.raises(GraphFormatError, match="holds no graphs that can be read safely; delete it, or"):
        SyntheticSweep(tmp_path, **KARATE)
    assert not touched.exists()
    torch.load(tmp_path / "processed" / "pre_filter.pt", weights_only=False)
    assert touched.exists()  # so the trap was a real one


def test_damaged_files_get_a_sentence_and_can_be_made_again(tmp_path):
    SyntheticSweep(tmp_path, **KARATE)
    (name,) = files(tmp_path)
    file = tmp_path / "processed" / name
    whole = file.read_bytes()
    draw = random.Random(0)
    damaged = [b"", b"PK\x03\x04", pickle.dumps({"data": {}, "slices": None}), whole[: len(whole) // 2], whole[:-1]]
    damaged += [bytes(draw.randrange(256) if draw.random() < 0.05 else byte for byte in whole[:4000]) + whole[4000:]]
    for content in damaged:
        file.write_bytes(content)
        with pytest.raises(GraphFormatError, match="holds no graphs that can be read safely"):
            SyntheticSweep(tmp_path, **KARATE)
    stored = torch.load(io.BytesIO(whole), weights_only=True)
    torch.save(stored, file, _use_new_zipfile_serialization=False)
    with pytest.raises(GraphFormatError, match="holds no graphs that can be read safely"):
        SyntheticSweep(tmp_path, **KARATE)
    for value in ([1, 2], {"data": 1, "slices": None}, {"data": {}, "slices": 3}):
        torch.save(value, file)
        with pytest.raises(GraphFormatError, match="holds no graphs that can be read safely"):
            SyntheticSweep(tmp_path, **KARATE)
    assert len(SyntheticSweep(tmp_path, **KARATE, force_reload=True)) == 2
    assert len(SyntheticSweep(tmp_path, **KARATE)) == 2


def with_object(data):
    data.thing = Touch("nowhere")
    return data


def with_lambda(data):
    data.thing = lambda: None
    return data


def heterogeneous(data):
    return HeteroData()


@pytest.mark.parametrize(
    ("pre_transform", "message"),
    [
        (with_object, "thing of the graphs cannot be stored as tensors, numbers and texts; make it in transform"),
        (with_lambda, "thing of the graphs cannot be stored"),
        (heterogeneous, "pre_transform returns HeteroData, and only Data is stored; use it as transform"),
    ],
)
def test_what_could_not_be_read_back_is_not_stored(tmp_path, pre_transform, message):
    with pytest.raises(InvalidParameterError, match=message):
        SyntheticSweep(tmp_path, **KARATE, pre_transform=pre_transform)
    assert files(tmp_path) == []


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"name": "grit"}, InvalidParameterError, "'grit' is not a generator; did you mean grid"),
        ({"ears": []}, InvalidParameterError, "ears is empty"),
        ({"ears": 0.5}, InvalidParameterError, "ears are numbers from 0 to 1, such as .*, not 0.5"),
        ({"ears": ["high"]}, InvalidParameterError, "ears are numbers from 0 to 1"),
        ({"ears": [1.5]}, InvalidParameterError, "a target EAR lies from 0 to 1, not at 1.5"),
        ({"rounds": -1}, InvalidParameterError, "rounds must be 0 or more, not -1"),
        ({"colour": 1}, InvalidParameterError, "has no parameter 'colour'"),
        ({"copies": object()}, InvalidParameterError, "numbers, texts and lists of them, not object"),
        ({"ears": [0.0], "dial": "twins"}, UnreachableTargetError, "cannot be reached by turning twins"),
        ({"name": "syn-nothing"}, EdgeorbitError, "nothing: no such file, and no data set of that name"),
    ],
)
def test_bad_settings_get_a_sentence_and_leave_no_file(tmp_path, settings, error, message):
    with pytest.raises(error, match=message):
        SyntheticSweep(tmp_path, **KARATE | settings)
    assert not (tmp_path / "processed").exists() or files(tmp_path) == []


def test_a_root_that_cannot_be_written_gets_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EdgeorbitError, match=r"processed: cannot be created \(Not a directory\); choose a root"):
        SyntheticSweep(tmp_path / "file", **KARATE)


def test_syn_cora_carries_the_features_and_labels_of_cora(tmp_path, data_dir, made):
    cora = load_graph("cora", data_dir=data_dir)
    dataset = SyntheticSweep(tmp_path, ears=[0.4], data_dir=data_dir)
    data = dataset[0]
    assert abs(ear(from_pyg(data)) - 0.4) <= 0.01
    assert torch.equal(data.x, torch.from_numpy(cora.x.toarray())[data.original])
    assert data.y.tolist() == cora.y[data.original.numpy()].tolist()
    assert (dataset.num_features, dataset.num_classes) == (1433, 7)
    # The digests of its raw files are known, so what is stored serves where they are not.
    assert same(SyntheticSweep(tmp_path, ears=[0.4], data_dir=tmp_path)[0], data)
    assert len(made) == 1


def test_raw_files_without_a_known_digest_count_by_their_content(tmp_path, data_dir, made):
    (tmp_path / "seal").mkdir()
    (tmp_path / "seal" / "USAir.mat").write_bytes((data_dir / "seal" / "USAir.mat").read_bytes())
    for directory in (data_dir, tmp_path):
        SyntheticSweep(tmp_path, "syn-usair", ears=[None], data_dir=directory)
    assert len(made) == 1
    (tmp_path / "seal" / "USAir.mat").write_bytes(b"")
    with pytest.raises(EdgeorbitError):
        SyntheticSweep(tmp_path, "syn-usair", ears=[None], data_dir=tmp_path)
