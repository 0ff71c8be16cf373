"""The one training loop: batches of target edges over messages on the whole graph without them.

Several processes can run it together (`edgeorbit.training.processes`): each takes a share of the pairs of every step,
and of those that validation scores; everything else is the same in all of them.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from edgeorbit._memory import keeping_memory
from edgeorbit._randomness import Random
from edgeorbit.data.negatives import NegativeSampler
from edgeorbit.data.splits.split import LinkSplit, Negatives
from edgeorbit.errors import InvalidParameterError, LimitExceededError
from edgeorbit.evaluation.scoring import evaluate_part
from edgeorbit.graph.removal import EdgeRemover
from edgeorbit.models.base import Trained
from edgeorbit.models.neural.inputs import Inputs, prepare_features
from edgeorbit.models.neural.model import LinkNetwork, NeuralLinkModel
from edgeorbit.models.perturbations import make_perturbation
from edgeorbit.training._checks import check_trainable
from edgeorbit.training.adam import Adam
from edgeorbit.training.averaging import Averager, make_averager
from edgeorbit.training.checkpoint import Progress, State, load_checkpoint, pack_state, save_checkpoint, unpack_state
from edgeorbit.training.losses import OBJECTIVES
from edgeorbit.training.precision import check_precision, computing_in
from edgeorbit.training.schedule import learning_rate_factor
from edgeorbit.training.settings import TrainingSettings
from edgeorbit.training.step import backward
from edgeorbit.training.world import ParallelStep, World

SMALLEST_BATCH, LARGE_BATCH = 1024, 16_384
MOST_LINKS = 1 << 22  # of an epoch, unless it is set: validation of the largest graphs comes after minutes, not hours
CHECKPOINT_SECONDS = 5.0  # what a killed run may lose, unless a checkpoint takes long to write
SHORT_SAVE_SECONDS = 0.5  # a tenth of that; longer ones are written less often

Report = Callable[[Progress, int, float], None]  # where training stands, steps of an epoch, loss of the last one


class Trainer:
    """Trains a model on the training edges of a split.

    Every random choice follows from the seed, the epoch and the step alone, so a run that resumes from a checkpoint
    ends with the same weights as one that was never interrupted.

    Parameters
    ----------
    model
        A model with weights.
    split
        The graph to train on; its validation edges choose the weights that are kept, its test edges are not touched.
    negatives
        The validation negatives.
    settings
        See `TrainingSettings`.
    seed
        Decides weights, batches, negatives and dropout.
    checkpoint
        A file for the state of training; if it exists, training resumes from it.
    report
        Called after every step.
    device
        Where the network is: `cpu`, or a GPU such as `cuda:0`. What is prepared from graphs stays on the CPU.

    Attributes
    ----------
    world : World
        The processes that train together; this one alone, unless another world is set.
    """

    def __init__(
        self,
        model: NeuralLinkModel,
        split: LinkSplit,
        negatives: Negatives,
        settings: TrainingSettings,
        *,
        seed: int = 0,
        checkpoint: Path | None = None,
        report: Report | None = None,
        device: str = "cpu",
    ) -> None:
        check_trainable(model, split, negatives)
        model.check(split.graph)
        self.model, self.split, self.negatives, self.settings = model, split, negatives, settings
        self.seed, self.checkpoint, self.report = seed, checkpoint, report
        self.world, self.device = World(), torch.device(device)
        self._parallel: ParallelStep | None = None
        check_precision(settings.precision, self.device)
        self._objective = OBJECTIVES[settings.objective]
        self._averager = _averager_of(settings)
        self._positives = split.graph.edges.astype(np.int64)
        # Hiding all edges at once would leave no messages to learn from.
        wanted = settings.batch_size or usual_batch_size(len(self._positives))
        self.links_per_epoch = min(settings.links_per_epoch or MOST_LINKS, len(self._positives))
        self.batch_size = min(wanted, math.ceil(len(self._positives) / 2), self.links_per_epoch)
        self._remover = EdgeRemover(split.graph)
        self._sampler = NegativeSampler(
            split.graph,
            kind=settings.negatives,  # type: ignore[arg-type]
            seed=seed,
            exclude_isolated=settings.exclude_isolated,
            rounds=settings.orbit_rounds if settings.negatives == "orbit" else None,
        )
        self._perturb = make_perturbation(settings.perturbation, settings.perturbation_rate)
        self._x = prepare_features(split.graph)
        if isinstance(self._x, Tensor) and self._perturb is None:  # perturbations run on the CPU
            self._x = self._x.to(self.device)

    @cached_property
    def _whole(self) -> Inputs:
        """The whole training graph; what networks derive from it is made once."""
        return Inputs.of(self.split.graph, self._x)

    @property
    def steps(self) -> int:
        """Steps of an epoch."""
        return math.ceil(self.links_per_epoch / self.batch_size)

    def train(self) -> Trained:
        """Train until validation no longer gets better, and leave the model with its best weights."""
        network = self.model.build(self.split.graph, self.seed).to(self.device)
        self._averager = _averager_of(self.settings)
        optimizer = Adam(network.parameters(), self.settings.learning_rate, self.settings.weight_decay)
        best, progress = self._begin(network, optimizer)
        self._parallel = ParallelStep(network, self.world) if self.world.size > 1 else None
        with self._noticing_lack_of_memory(), keeping_memory():
            best = self._go_on(network, optimizer, best, progress)
        self._parallel = None
        network.load_state_dict(best)
        return Trained(progress.best, progress.best_epoch, progress.history)

    @contextmanager
    def _noticing_lack_of_memory(self) -> Iterator[None]:
        try:
            yield
        except torch.OutOfMemoryError:
            raise LimitExceededError(
                f"{self.model.name} needs more memory for {self.split.graph.name} than {self.device} has; take fewer "
                "hidden_channels, a smaller batch_size, or the device cpu"
            ) from None

    def _begin(self, network: LinkNetwork, optimizer: Adam) -> tuple[dict[str, Tensor], Progress]:
        """Return the best weights so far and where training stands: those of the first process, in all of them."""
        best, progress = _weights(network), Progress()
        if self.checkpoint is not None and self.checkpoint.exists():
            best, progress = load_checkpoint(self.checkpoint, network, optimizer, self._averager)
        if self.world.size == 1:
            return best, progress
        state = self.world.broadcast(pack_state(network, best, optimizer, self._averager, progress))
        return (
            (best, progress)
            if self.world.rank == 0
            else unpack_state(State(*state), network, optimizer, self._averager)
        )

    def _go_on(
        self,
        network: LinkNetwork,
        optimizer: Adam,
        best: dict[str, Tensor],
        progress: Progress,
    ) -> dict[str, Tensor]:
        """Make steps until validation no longer gets better; return the best weights."""
        saved, pause = time.monotonic(), CHECKPOINT_SECONDS
        while progress.epoch < self.settings.epochs and not self._is_over(progress):
            order = Random(self.seed, f"batches of epoch {progress.epoch}").permutation(len(self._positives))
            order = order[: self.links_per_epoch]
            negatives = self._sample(self._positives[order], progress.epoch)
            while progress.step < self.steps and not self._is_over(progress):
                chosen = slice(progress.step * self.batch_size, (progress.step + 1) * self.batch_size)
                seed_generators(self._draw_seed(f"step {progress.step} of epoch {progress.epoch}"), self.device)
                optimizer.learning_rate = self._learning_rate(progress)
                loss = self._step(network, optimizer, self._positives[order[chosen]], negatives[chosen])
                progress.losses.append(loss)
                progress.step += 1
                self._averager.after_step(network, self._steps_made(progress))
                if self._is_due(progress):
                    best = self._evaluate(network, progress, best)
                if self.report is not None:
                    self.report(progress, self.steps, loss)
                if self.checkpoint is not None and time.monotonic() - saved > pause:
                    begun = time.monotonic()
                    save_checkpoint(self.checkpoint, network, best, optimizer, self._averager, progress)
                    saved = time.monotonic()
                    pause = CHECKPOINT_SECONDS * max(1.0, (saved - begun) / SHORT_SAVE_SECONDS)
            if progress.step < self.steps:
                break
            progress.epoch, progress.step = progress.epoch + 1, 0
            if self._is_due_after_epoch(progress):
                best = self._evaluate(network, progress, best)
        return best

    def _is_over(self, progress: Progress) -> bool:
        return progress.waited >= self.settings.patience

    def _is_due(self, progress: Progress) -> bool:
        """Tell whether to evaluate after a step."""
        every = self.settings.evaluate_every_steps
        return every > 0 and self._steps_made(progress) % every == 0

    def _is_due_after_epoch(self, progress: Progress) -> bool:
        """Tell whether to evaluate after an epoch; after the last one always, but not twice."""
        is_last = progress.epoch == self.settings.epochs
        if self.settings.evaluate_every_steps:
            return is_last and not self._is_due(progress)
        return is_last or progress.epoch % self.settings.evaluate_every == 0

    def _steps_made(self, progress: Progress) -> int:
        return progress.epoch * self.steps + progress.step

    def _learning_rate(self, progress: Progress) -> float:
        """Return the learning rate of the next step."""
        chosen = self.settings
        total = chosen.epochs * self.steps
        factor = learning_rate_factor(chosen.schedule, chosen.warmup_steps, self._steps_made(progress), total)
        return chosen.learning_rate * factor

    def _sample(self, positives: np.ndarray, epoch: int) -> np.ndarray:
        """Return the negatives of links, shape (number of links, negatives of each, 2)."""
        each = self.settings.negatives_per_link
        repeated = positives if each == 1 else np.repeat(positives, each, axis=0)
        return self._sampler.sample(len(repeated), epoch, positives=repeated).reshape(-1, each, 2)

    def _step(self, network: LinkNetwork, optimizer: Adam, positives: np.ndarray, negatives: np.ndarray) -> float:
        """Make one step on target links, shape (p, 2), which are hidden from the graph that messages are passed on.

        Each has the same number k of negatives, shape (p, k, 2), or (p, 2) for one.
        """
        network.train()
        inputs = Inputs.of(self._remover.without(positives), self._x) if network.hides_targets else self._whole
        if self._perturb is not None:
            inputs = self._perturb(inputs)
        inputs = inputs.to(self.device)
        pairs = torch.from_numpy(positives), torch.from_numpy(negatives.reshape(len(positives), -1, 2))
        optimizer.zero_grad()
        with computing_in(self.settings.precision):
            if self._parallel is None:
                value = backward(network, inputs, *pairs, self._objective)
            else:
                value = self._parallel.backward(inputs, *pairs, self._objective)
        torch.nn.utils.clip_grad_norm_(network.parameters(), self.settings.gradient_norm)
        optimizer.step()
        if not math.isfinite(value):
            raise InvalidParameterError(f"{self.model.name}: the loss is {value}; lower the learning rate")
        return value

    def _draw_seed(self, step: str) -> int:
        purpose = f"{step} in process {self.world.rank}" if self.world.rank else step
        return int(Random(self.seed, purpose).uniform(1)[0] * 2**53)

    def _evaluate(self, network: LinkNetwork, progress: Progress, best: dict[str, Tensor]) -> dict[str, Tensor]:
        """Measure the validation metric, of averaged weights if there are any; return the weights to keep."""
        self._averager.before_evaluation(network)
        with self._averager.applied(network):
            scorer = self.world.divide(self.model.on(self.split.graph))
            # The value of the first process, so that all stop after the same epoch however their CPUs round.
            found = evaluate_part(scorer, self.split, self.negatives, "valid")[self.settings.metric]
            value = self.world.broadcast(found)
            kept = _weights(network) if value > progress.best else best
        epoch = math.ceil(self._steps_made(progress) / self.steps)
        entry: dict[str, Any] = {"epoch": epoch, "loss": float(np.mean(progress.losses))}
        if self.settings.evaluate_every_steps:
            entry["step"] = self._steps_made(progress)
        progress.history.append(entry | {self.settings.metric: value})
        progress.losses = []
        progress.waited += 1
        if value > progress.best:
            progress.best, progress.best_epoch, progress.waited = value, epoch, 0
        return kept


def seed_generators(seed: int, device: torch.device) -> None:
    """Seed PyTorch's generators; on a GPU a user's module may draw from that of the GPU."""
    if device.type == "cpu":
        torch.default_generator.manual_seed(seed)  # `torch.manual_seed` also looks for devices, in every step
    else:
        torch.manual_seed(seed)


def usual_batch_size(num_edges: int) -> int:
    """Return how many edges a step takes: a 16th of all, but not few, and of many edges a 64th.

    A step passes messages on the whole graph, so that many small ones would take long. But sixteen large ones teach
    little: on ogbl-ddi a GCN in steps of a 64th has twice the Hits@20 after as many epochs.

    >>> [usual_batch_size(edges) for edges in (5_000, 35_000, 1_000_000, 30_000_000)]
    [1024, 2187, 16384, 468750]
    """
    return max(SMALLEST_BATCH, min(num_edges // 16, LARGE_BATCH), num_edges // 64)


def _averager_of(settings: TrainingSettings) -> Averager:
    return make_averager(settings.averaging, settings.averaging_decay, settings.averaged_evaluations)


def _weights(network: LinkNetwork) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in network.state_dict().items()}
