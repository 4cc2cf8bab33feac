"""How well a network's policy agrees with a soft target, each figure with the number of positions behind it.

Top-1: the network's best legal move is one to which the target gives its highest probability.

Contested: positions where the choice matters. The target's best move leads its second best by at least
`contested_gap`, so a player that knew what the target knows would not be indifferent, and there is more than one legal
move. Where two moves are as good as each other (the symmetric cells of an empty board, a decided ending) either will
do, and plain top-1 calls half of the right answers wrong; contested agreement is top-1 on the contested positions only.

KL: the mean of KL(target || network) over the legal moves, in nats.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pocketzero.records import Positions, board_of

Row = dict[str, Any]
"""Figures by name: numbers, or None where there was no position to measure."""


def agreement(
    logits: np.ndarray, legal: np.ndarray, targets: np.ndarray, contested_gap: float
) -> dict[str, np.ndarray]:
    """Per position: `top1` [N] bool, `contested` [N] bool, `kl` [N] float64.

    logits [N, moves] float32, legal [N, moves] bool, targets [N, moves] float32 that sum to 1 on the legal moves.
    """
    masked = np.where(legal, logits.astype(np.float64), -np.inf)
    best = masked.argmax(1)
    top1 = targets[np.arange(len(targets)), best] == targets.max(1)
    first, second = np.sort(targets, 1)[:, :-3:-1].T
    contested = (first - second >= contested_gap) & (legal.sum(1) > 1)
    shifted = masked - masked.max(1, keepdims=True)
    log_network = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    target = targets.astype(np.float64)
    shared = target > 0
    terms = target[shared] * (np.log(target[shared]) - log_network[shared])
    kl = np.zeros(len(targets))
    np.add.at(kl, np.nonzero(shared)[0], terms)
    return {"top1": top1, "contested": contested, "kl": kl}


def per_board(found: dict[str, np.ndarray], positions: Positions, boards: Sequence[int]) -> dict[str, Row]:
    """The figures of `agreement` on each board and on all of them: "board_4", ..., "all".

    An array `value_error` [N] in `found` is averaged too.
    """
    board = board_of(positions.games, boards)
    rows = {f"board_{b}": _row(found, positions, board == b) for b in boards}
    return {**rows, "all": _row(found, positions, np.ones(len(board), np.bool_))}


def _row(found: dict[str, np.ndarray], positions: Positions, chosen: np.ndarray) -> Row:
    contested = chosen & found["contested"]
    value = {"value_error": _mean(found["value_error"][chosen])} if "value_error" in found else {}
    return {
        **value,
        "positions": int(chosen.sum()),
        "games": len(np.unique(positions.games[chosen])),
        "top1": _mean(found["top1"][chosen]),
        "kl": _mean(found["kl"][chosen]),
        "contested_positions": int(contested.sum()),
        "contested_agreement": _mean(found["top1"][contested]),
    }


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean(dtype=np.float64)) if len(values) else None
