"""Players: each answers many positions at once, and says what it sees.

B is the number of positions, S the size of a state, M the number of moves. Seeds are SplitMix64 states, one a position;
what a player answers is a function of the position and its seed, not of the positions beside it.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pocketzero.arena.scoring import best_moves, sample_moves, score_linear, score_switching
from pocketzero.arena.tiers import PlayableTier
from pocketzero.games import Game
from pocketzero.games.compiled import encode_states, legal_many
from pocketzero.search.answers import Evaluate

States = NDArray[np.int8]
Seeds = NDArray[np.uint64]
Moves = NDArray[np.int64]
Masks = NDArray[np.bool_]
Scores = NDArray[np.float64]

STATE = "state"
"""Information set of a player that sees the position as a person would."""
ORACLE = "oracle"
"""Information set of a player that sees more than a real one would."""


class Player(Protocol):
    """Someone who plays a game."""

    name: str
    """What tables call it."""
    sees: str
    """Its information set: STATE or ORACLE."""
    deterministic: bool
    """Whether it plays the same move in the same position whatever the seed."""

    def moves(self, states: States, seeds: Seeds) -> Moves:
        """A legal move for the player to move in every state ([B, S] contiguous): [B]."""
        ...


class Judge(Protocol):
    """Scores the moves of many positions."""

    def __call__(self, states: States) -> tuple[Masks, Scores]:
        """Legal moves and their scores, both [B, M]; the scores of illegal moves mean nothing."""
        ...


class TierPlayer:
    """A tier: a judge of moves, and the tier's way to choose."""

    sees = STATE

    def __init__(self, tier: PlayableTier, judge: Judge) -> None:
        self.name = tier.name
        self.deterministic = tier.choice == "argmax"
        self._tier = tier
        self._judge = judge

    def moves(self, states: States, seeds: Seeds) -> Moves:
        masks, scores = self._judge(states)
        return choose(self._tier, masks, scores, seeds)

    def chances(self, states: States) -> Scores:
        """How likely each move is, [B, M], where moves are drawn."""
        masks, scores = self._judge(states)
        top = np.max(scores, axis=1, where=masks, initial=-np.inf)[:, None]
        drawn = masks & (scores >= top - self._tier.within) if self._tier.within > 0 else masks
        weights = np.exp(np.where(drawn, scores - top, -np.inf) / self._tier.temperature)
        return weights / weights.sum(axis=1, keepdims=True)


def chances(game: Game, player: Player, states: States) -> Scores:
    """How likely the player plays each move in every state: [B, S] to [B, M].

    Raises ValueError for one that draws its moves and is no tier.
    """
    if player.deterministic:
        moves = player.moves(states, np.zeros(len(states), np.uint64))
        return (np.arange(game.moves) == moves[:, None]).astype(np.float64)
    if not isinstance(player, TierPlayer):
        raise ValueError(f"player: how likely {player.name} plays a move is not known")
    return player.chances(states)


def choose(tier: PlayableTier, masks: Masks, scores: Scores, seeds: Seeds) -> Moves:
    """The tier's move for every position: [B]; -1 where nothing is legal."""
    moves = np.empty(len(masks), np.int64)
    if tier.choice == "argmax":
        best_moves(masks, scores, moves)
    else:
        sample_moves(masks, scores, tier.temperature, tier.within, seeds, moves)
    return moves


def tier_player(game: Game, tier: PlayableTier, evaluate: Evaluate | None = None) -> TierPlayer:
    """The tier as a player. evaluate: the network of a network tier."""
    return TierPlayer(tier, judge(game, tier, evaluate))


def judge(game: Game, tier: PlayableTier, evaluate: Evaluate | None = None) -> Judge:
    """How the tier scores moves. Raises ValueError for a network tier without a network."""
    if tier.kind == "network":
        if evaluate is None:
            raise ValueError(f"tier {tier.name} plays with a network, and none was given")
        return NetworkJudge(game, evaluate)
    if tier.kind == "random":
        return ChanceJudge(game)
    return LinearJudge(game, tier)


class LinearJudge:
    """Dot products of features and weights, in the order of the features, in doubles."""

    def __init__(self, game: Game, tier: PlayableTier) -> None:
        self._game = game
        self._vectors = {name: np.array(vector, np.float64) for name, vector in tier.vectors.items()}

    def __call__(self, states: States) -> tuple[Masks, Scores]:
        masks = np.empty((len(states), self._game.moves), np.bool_)
        scores = np.empty((len(states), self._game.moves), np.float64)
        addresses, vectors = self._game.addresses, self._vectors
        if "weights" in vectors:
            score_linear(addresses, states, len(self._game.feature_names), vectors["weights"], masks, scores)
        else:
            score_switching(addresses, states, vectors["early"], vectors["late"], masks, scores)
        return masks, scores


class NetworkJudge:
    """A network's policy logits."""

    def __init__(self, game: Game, evaluate: Evaluate) -> None:
        self._game = game
        self._evaluate = evaluate

    def __call__(self, states: States) -> tuple[Masks, Scores]:
        logits, _ = self._evaluate(encode_states(self._game.addresses, self._game.planes, states))
        return legal_moves(self._game, states), np.ascontiguousarray(logits, np.float64)


class ChanceJudge:
    """Every move is as good as every other."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def __call__(self, states: States) -> tuple[Masks, Scores]:
        return legal_moves(self._game, states), np.zeros((len(states), self._game.moves), np.float64)


def legal_moves(game: Game, states: States) -> Masks:
    """The legal moves of many states: [B, S] to [B, M]."""
    masks = np.empty((len(states), game.moves), np.bool_)
    legal_many(game.addresses, states, masks)
    return masks
