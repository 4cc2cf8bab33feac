"""Training steps a second in the memory layouts that torch offers."""

from collections import defaultdict
from time import process_time
from unittest.mock import patch

import numpy as np
import torch

from bench.subject import Subject
from pocketzero.games.loader import opening_seed
from pocketzero.learn import training
from pocketzero.learn.replay import Replay
from pocketzero.nets.tower import load_tower
from pocketzero.records import Positions

LAYOUTS = {"contiguous": torch.contiguous_format, "channels-last": torch.channels_last}
STEPS = 8
LEARNING_RATE = 1e-3


def training_rounds(subject: Subject, rounds: int) -> dict[str, list[float]]:
    """The trainer's own steps per CPU second on one thread, layout by layout in turn, after a round that warms up."""
    batch = _openings(subject).drawn(0, subject.batch_size)
    trainers = {}
    for name, layout in LAYOUTS.items():
        with patch.object(training, "LAYOUT", layout):
            trainers[name] = training.Trainer(load_tower(subject.network), weight_decay=1e-4)
    found = defaultdict(list)
    with training.deterministic(threads=1):
        for number in range(rounds + 1):
            for name, layout in LAYOUTS.items():
                with patch.object(training, "LAYOUT", layout):
                    began = process_time()
                    for _ in range(STEPS):
                        trainers[name].step(batch, LEARNING_RATE)
                    if number > 0:
                        found[name].append(STEPS / (process_time() - began))
    return dict(found)


def _openings(subject: Subject) -> Replay:
    """Openings on all boards, with the legal moves as targets: as good as any to time a step."""
    game, count = subject.game, 64
    states = np.array([game.new(subject.boards[i % len(subject.boards)], opening_seed(2, i)) for i in range(count)])
    policies = np.zeros((count, game.moves), np.float32)
    for state, policy in zip(states, policies, strict=True):
        legal = game.legal_moves(state)
        policy[legal] = 1 / len(legal)
    nothing = {"outcomes": np.int8, "margins": np.int16, "games": np.int32, "plies": np.int16, "moves": np.int16}
    zeros = {name: np.zeros(count, kind) for name, kind in nothing.items()}
    values = np.zeros(count, np.float32)
    return Replay(game, Positions(states=states, policies=policies, values=values, **zeros), values, seed=1)
