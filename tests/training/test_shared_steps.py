"""A step that several processes share is the step of one: here threads take the place of processes."""

import re
import threading
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

from edgeorbit.data.splits.split import LinkSplit, Negatives  # noqa: E402
from edgeorbit.graph.graph import Graph  # noqa: E402
from edgeorbit.graph.toys import karate  # noqa: E402
from edgeorbit.models import make_model  # noqa: E402
from edgeorbit.models.neural.inputs import Inputs  # noqa: E402
from edgeorbit.models.neural.model import NeuralLinkModel  # noqa: E402
from edgeorbit.training import TrainingSettings  # noqa: E402
from edgeorbit.training.group import Group  # noqa: E402
from edgeorbit.training.joined_group import add_up_gradients  # noqa: E402
from edgeorbit.training.loop import Trainer  # noqa: E402
from edgeorbit.training.shared_network import share_scores, sharing  # noqa: E402

# Without dropout and noise; what is left draws nothing.
STILL = {
    "gcn": {"dropout": 0, "hidden_channels": 8},
    "ncn": {"dropout": 0, "decoder_dropout": 0, "feature_dropout": 0, "edge_dropout": 0, "hidden_channels": 8},
    "neo-gnn": {"dropout": 0, "hidden_channels": 8},
    "eo-gnn": {"dropout": 0, "tau": 0, "without": "d1", "hidden_channels": 8},
    "buddy": {"label_dropout": 0, "feature_dropout": 0, "sign_dropout": 0, "sign_k": 1, "hidden_channels": 8},
    "seal": {"dropout": 0, "hidden_channels": 8},
}


# A batch normalisation takes the biases before it out again, so that Adam moves them, and the running means that follow
# them, by rounding errors alone.
NOISE = re.compile(r"(structure\.0|product\.0|nodes\.layers\.\d+)\.bias|.*running_mean")
LOCK = threading.Lock()  # PyTorch's generator belongs to all threads


@pytest.fixture(autouse=True)
def _weights_are_drawn_by_one_thread_at_a_time(monkeypatch) -> None:
    build = NeuralLinkModel.build

    def build_alone(model, graph, seed):
        with LOCK:
            return build(model, graph, seed)

    monkeypatch.setattr(NeuralLinkModel, "build", build_alone)


class Rendezvous:
    """Where threads meet; one that fails ends the waiting of the others."""

    def __init__(self, size: int) -> None:
        self.barrier, self.held = threading.Barrier(size, timeout=60), [None] * size

    def exchange(self, rank: int, what: Any) -> list[Any]:
        self.held[rank] = what
        self.barrier.wait()
        found = list(self.held)
        self.barrier.wait()
        return found


class ThreadGroup(Group):
    def __init__(self, rank: int, size: int, place: Rendezvous) -> None:
        self.rank, self.size, self.place = rank, size, place

    def add_up(self, values):
        found = self.place.exchange(self.rank, values.detach().clone())
        return values.copy_(torch.stack(found).sum(dim=0))

    def tell(self, what: Any) -> Any:
        # As it is now: the first thread may go on and change it before the others have looked.
        return deepcopy(self.place.exchange(self.rank, deepcopy(what))[0])


def together(size: int, work) -> list[Any]:
    """Return what each of the threads of a group makes."""
    place, found = Rendezvous(size), [None] * size

    def run(rank: int) -> None:
        try:
            found[rank] = work(ThreadGroup(rank, size, place))
        except BaseException as error:
            found[rank] = error
            place.barrier.abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = [one for one in found if isinstance(one, BaseException)]
    if failed:
        raise failed[0]
    return found


def split_of(graph: Graph) -> tuple[LinkSplit, Negatives]:
    """Every seventh edge is for validation; negatives are pairs of nodes far apart in their numbers."""
    edges = graph.edges.astype(np.int64)
    held = np.arange(len(edges)) % 7 == 0
    x = np.random.default_rng(0).normal(size=(graph.num_nodes, 5)).astype(np.float32)
    seen = Graph.from_edges(edges[~held], num_nodes=graph.num_nodes).with_attributes(x=x)
    nodes = np.arange(graph.num_nodes)
    pool = np.stack([nodes, (nodes + 17) % graph.num_nodes], axis=1)
    return LinkSplit(seen, edges[held], edges[held]), Negatives("random", pool, pool)


def train(model: str, group: Group, settings: dict[str, Any], **training: Any):
    torch.set_num_threads(1)
    split, negatives = split_of(karate())
    # Evaluated once, at the end: which of two epochs is better may be a matter of rounding.
    chosen = {"epochs": 2, "evaluate_every": 2, "batch_size": 5, "exclude_isolated": False} | training
    with LOCK:
        trainer = Trainer(make_model(model, **settings), split, negatives, TrainingSettings(**chosen), seed=5)
    trainer.group = group
    with torch.random.fork_rng():
        found = trainer.train()
    weights = {name: value.double().numpy() for name, value in trainer.model.network.state_dict().items()}
    return found, {name: value for name, value in weights.items() if not (model == "buddy" and NOISE.fullmatch(name))}


@pytest.mark.parametrize("model", STILL)
def test_weights_after_shared_steps_are_those_of_one_process(model: str) -> None:
    # Batches of 5 edges and 5 others: three processes have unequal shares, of 4, 3 and 3 pairs.
    alone, expected = train(model, Group(), STILL[model], weight_decay=0.01)
    for found, weights in together(3, lambda group: train(model, group, STILL[model], weight_decay=0.01)):
        assert weights.keys() == expected.keys()
        for name, value in expected.items():
            np.testing.assert_allclose(weights[name], value, rtol=1e-3, atol=2e-4, err_msg=name)
        assert [entry["epoch"] for entry in found.history] == [entry["epoch"] for entry in alone.history]
        losses = [[entry["loss"] for entry in history] for history in (found.history, alone.history)]
        np.testing.assert_allclose(*losses, rtol=1e-3)


@pytest.mark.parametrize("model", ["gcn", "buddy"])
def test_processes_without_a_pair_in_the_last_batch_change_nothing(model: str) -> None:
    # 66 edges in batches of 13 leave a last batch of one edge: two pairs for five processes.
    _, expected = train(model, Group(), STILL[model], batch_size=13)
    for _, weights in together(5, lambda group: train(model, group, STILL[model], batch_size=13)):
        for name, value in expected.items():
            np.testing.assert_allclose(weights[name], value, rtol=1e-3, atol=2e-4, err_msg=name)


def test_all_processes_end_with_the_same_bits() -> None:
    found = together(3, lambda group: train("buddy", group, STILL["buddy"]))
    for _, weights in found[1:]:
        assert all(np.array_equal(value, found[0][1][name]) for name, value in weights.items())


def test_every_process_sees_the_graph_without_the_links_of_the_whole_batch() -> None:
    seen: list[tuple[int, bytes]] = []
    judged: list[np.ndarray] = []
    split, negatives = split_of(karate())
    batch = split.graph.edges[:9].astype(np.int64)

    def step(group: Group) -> None:
        trainer = Trainer(make_model("gcn", **STILL["gcn"]), split, negatives, TrainingSettings(), seed=1)
        network = trainer.model.build(split.graph, 1)
        trainer.group, loss = group, network.loss

        def watched(inputs: Inputs, pairs, label):
            seen.append((inputs.graph.num_edges, inputs.graph.edges.tobytes()))
            judged.append(pairs.numpy())
            return loss(inputs, pairs, label)

        network.loss = watched
        trainer._step(network, torch.optim.Adam(network.parameters()), batch, negatives.valid[:9])

    together(4, step)
    assert len(set(seen)) == 1 and seen[0][0] == split.graph.num_edges - 9
    pairs = np.concatenate(judged)
    every = np.concatenate([batch, negatives.valid[:9]])
    assert sorted(map(tuple, pairs.tolist())) == sorted(map(tuple, every.tolist()))


def test_embeddings_are_the_same_in_all_processes_and_dropout_of_pairs_is_not() -> None:
    split, _ = split_of(karate())

    def draw(group: Group):
        network = make_model("gcn", hidden_channels=8, dropout=0.5).build(split.graph, 3).train()
        with LOCK, sharing(network, group) as share:
            torch.default_generator.manual_seed(1)
            share.seed = 100 + group.rank
            return network.encode(Inputs.of(split.graph)).detach().numpy(), torch.rand(8).tolist()

    with torch.random.fork_rng():
        alone = draw(Group())
        found = together(3, draw)
    assert all(np.array_equal(embedding, alone[0]) for embedding, _ in found)
    assert found[0][1] == alone[1] and len({tuple(draws) for _, draws in found}) == 3


@pytest.mark.parametrize("count", [0, 1, 2, 7, 1000])
def test_shared_scores_are_the_scores_themselves(count: int) -> None:
    pairs = np.arange(2 * count).reshape(-1, 2)
    expected = np.sin(pairs[:, 0].astype(np.float32)) if count else np.empty(0, np.float32)
    asked = together(3, lambda group: share_scores(lambda part: np.sin(part[:, 0].astype(np.float32)), group)(pairs))
    for found in asked:
        assert found.dtype == np.float32 and np.array_equal(found, expected)


def test_a_weight_without_gradient_in_all_processes_keeps_none_and_one_with_some_gets_their_sum() -> None:
    def work(group: Group):
        network = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.ones(2, 3)) for name in "abc"})
        loss = (group.rank + 1.0) * network["a"].sum()
        if group.rank == 1:
            loss = loss + network["b"].sum()
        loss.backward()
        return add_up_gradients(network, loss, group), network

    for value, network in together(2, work):
        assert value == 6 + 12 + 6 and network["c"].grad is None
        assert network["a"].grad.unique().tolist() == [3] and network["b"].grad.unique().tolist() == [1]
