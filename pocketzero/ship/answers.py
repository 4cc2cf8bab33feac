"""What a runtime answers to positions, and the two ways in which Python finds it: plainly, and compiled.

The plain way is the rules as people read them, one move after the other; the compiled way is what search and players
use. That they agree to the last bit is what parity shows. N is the number of positions, L of a position's legal moves,
M of the library's moves, F of features, K of seeds a position.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.players import choose, judge
from pocketzero.arena.tiers import PlayableTier
from pocketzero.exact import dot_in_order, softmax_sample
from pocketzero.games import Game
from pocketzero.games.compiled import features_many
from pocketzero.rng import SplitMix64
from pocketzero.ship.layout import States

FIRST_SAMPLER = "easy"  # golden.jsonl has its moves
WEIGHING = ("linear", "switching")

Seed = TypeVar("Seed")
Tiers = Mapping[str, PlayableTier]
Rows = list[list[float]]
Scores = dict[str, list[float]]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """One runtime's answers to N positions; what a runtime does not do is None. Moves are numbered by the library."""

    features: Sequence[Rows | None] | None = None
    """[N] of [L, F]; None for a position of the reference where they are not written down."""
    scores: list[Scores] | None = None
    """[N] of linear tier -> [L]."""
    sampled: list[list[int]] | None = None
    """[N, K], the moves that are drawn with the position's seeds: with seed k by the tier k of `samplers`, round and
    round."""
    logits: NDArray[np.float32] | None = None
    """[N, M], of elite.onnx."""
    int8_logits: NDArray[np.float32] | None = None
    """[N, M], of elite.int8.onnx."""
    milliseconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    """A model's file or a tier's name -> median and 99th percentile of what one position alone took."""


def linear_tiers(tiers: Tiers) -> list[str]:
    """Names of the tiers that score moves by features."""
    return sorted(name for name, tier in tiers.items() if tier.kind in WEIGHING)


def samplers(tiers: Tiers) -> list[str]:
    """Names of the linear tiers that draw their moves, easy first; none where easy does not."""
    found = [name for name in linear_tiers(tiers) if tiers[name].choice == "sample"]
    return sorted(found, key=lambda name: name != FIRST_SAMPLER) if FIRST_SAMPLER in found else []


def in_turn(tiers: Tiers, seeds: Iterable[Seed]) -> Iterator[tuple[str, Seed]]:
    """The tier that draws with each of the seeds, and the seed; nothing where no tier draws."""
    return zip(itertools.cycle(samplers(tiers)), seeds, strict=False)


def compiled_answers(game: Game, tiers: Tiers, states: States, seeds: Sequence[Sequence[int]]) -> Answers:
    """Features, scores and sampled moves of states ([N, S]) by compiled code; seeds ([N, K]) start a SplitMix64."""
    if not game.feature_names:
        return Answers()
    masks = np.empty((len(states), game.moves), np.bool_)
    features = np.empty((*masks.shape, len(game.feature_names)), np.float64)
    features_many(game.addresses, states, masks, features)
    scores: list[Scores] = [{} for _ in states]
    judged = {name: judge(game, tiers[name])(states)[1] for name in linear_tiers(tiers)}
    for name, rows in judged.items():
        for entry, mask, row in zip(scores, masks, rows, strict=True):
            entry[name] = row[mask].tolist()
    columns = np.ascontiguousarray(np.array(seeds, np.uint64).T)
    drawn = [choose(tiers[name], masks, judged[name], column) for name, column in in_turn(tiers, columns)]
    return Answers(
        features=[rows[mask].tolist() for rows, mask in zip(features, masks, strict=True)],
        scores=scores,
        sampled=np.stack(drawn, axis=1).tolist() if drawn else None,
    )


def plain_answers(game: Game, tiers: Tiers, states: States, seeds: Sequence[Sequence[int]]) -> Answers:
    """The same by the plain rules."""
    if not game.feature_names:
        return Answers()
    features = [[_features(game, state, move) for move in game.legal_moves(state)] for state in states]
    scores = [{name: [_score(tiers[name], row) for row in rows] for name in linear_tiers(tiers)} for rows in features]
    sampled = [
        [int(game.legal_moves(state)[_sample(tiers[name], entry[name], seed)]) for name, seed in in_turn(tiers, mine)]
        for state, entry, mine in zip(states, scores, seeds, strict=True)
    ]
    return Answers(features=features, scores=scores, sampled=sampled if samplers(tiers) else None)


def _features(game: Game, state: States, move: int) -> list[float]:
    out = np.zeros(len(game.feature_names), np.float64)
    game.features(state, move, out)
    numbers: list[float] = out.tolist()
    return numbers


def _score(tier: PlayableTier, features: list[float]) -> float:
    weights = tier.vectors.get("weights")
    if weights is None:
        progress = features[-1]
        pairs = zip(tier.vectors["early"], tier.vectors["late"], strict=True)
        weights = tuple(early * (1.0 - progress) + late * progress for early, late in pairs)
    return float(dot_in_order(features, weights, len(weights)))


def _sample(tier: PlayableTier, scores: list[float], seed: int) -> int:
    """Index of the drawn move among the legal ones."""
    least = max(scores) - tier.within if tier.within > 0 else -np.inf
    candidates = [index for index, score in enumerate(scores) if score >= least]
    held = [scores[index] for index in candidates]
    return candidates[softmax_sample(held, len(held), tier.temperature, SplitMix64(seed).uniform())]
