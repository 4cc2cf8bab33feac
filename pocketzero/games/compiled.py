"""How compiled code plays any game: from addresses to typed functions, and the rules over many states at once.

Everything here is compiled once and kept on disk for every game there is and will be. Below, B is the number of states,
S their size, M the number of moves, F of features; `game` is Game.addresses.
"""

import warnings

import numba
import numpy as np
from numba.core import cgutils
from numba.core.errors import NumbaExperimentalFeatureWarning
from numba.extending import intrinsic
from numba.types import FunctionType, Tuple, UniTuple, boolean, float32, float64, int8, int64, void

from pocketzero.games.interface import SIGNATURES

warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)  # function pointers are new in numba, and tested here

GAME = UniTuple(int64, len(SIGNATURES))

part = numba.njit(error_model="numpy")  # compiled into the entry points that use it


def entry(signature):
    """Compiled ahead of its first call, kept on disk, and run outside Python's lock."""
    return numba.njit(signature, cache=True, nogil=True, error_model="numpy")


@intrinsic
def rules(context, game):
    """In compiled code: the game's functions, in the order of SIGNATURES, as one tuple."""
    kinds = [FunctionType(signature) for signature in SIGNATURES.values()]

    def build(context, builder, signature, args):
        functions = []
        for kind, address in zip(kinds, cgutils.unpack_tuple(builder, args[0]), strict=True):
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.jit_addr = function.c_addr = builder.inttoptr(address, cgutils.voidptr_t)
            functions.append(function._getvalue())
        return context.make_tuple(builder, signature.return_type, functions)

    return Tuple(kinds)(game), build


@entry(void(GAME, int8[:, ::1], int64[::1], int64[::1]))
def init_many(game, states, boards, seeds):
    """Fill states ([B, S] int8) with the starts of boards ([B] int64) and seeds ([B] int64)."""
    init, _, _, _, _, _, _, _, _ = rules(game)
    for b in range(len(states)):
        for i in range(states.shape[1]):
            states[b, i] = 0
        init(states[b], boards[b], seeds[b])


@entry(void(GAME, int8[:, ::1], boolean[:, ::1]))
def legal_many(game, states, masks):
    """The legal moves of every state: masks ([B, M] bool) are overwritten."""
    _, legal, _, _, _, _, _, _, _ = rules(game)
    for b in range(len(states)):
        for move in range(masks.shape[1]):
            masks[b, move] = False
        legal(states[b], masks[b])


@entry(void(GAME, int8[:, ::1], int64[::1]))
def step_many(game, states, moves):
    """Play moves ([B] int64) in states; a negative move leaves its state alone."""
    _, _, step, _, _, _, _, _, _ = rules(game)
    for b in range(len(states)):
        if moves[b] >= 0:
            step(states[b], moves[b])


@entry(void(GAME, int8[:, ::1], int64[::1], int64[::1]))
def results_many(game, states, results, margins):
    """Result and margin of every state, for player 0, into results and margins ([B] int64)."""
    _, _, _, result, _, margin, _, _, _ = rules(game)
    for b in range(len(states)):
        results[b] = result(states[b])
        margins[b] = margin(states[b])


@entry(void(GAME, int8[:, ::1], float32[:, :, :, ::1]))
def encode_many(game, states, planes):
    """Draw every state into planes ([B, *PLANES] float32, overwritten)."""
    _, _, _, _, encode, _, _, _, _ = rules(game)
    flat = planes.reshape(planes.size)
    for i in range(flat.size):
        flat[i] = 0
    for b in range(len(states)):
        encode(states[b], planes[b])


@entry(void(GAME, int8[:, ::1], boolean[:, ::1], float64[:, :, ::1]))
def features_many(game, states, masks, features):
    """The features of every legal move of every state: features ([B, M, F] float64) are 0 where masks is False."""
    _, legal, _, _, _, _, measure, _, _ = rules(game)
    for b in range(len(states)):
        for move in range(masks.shape[1]):
            masks[b, move] = False
        legal(states[b], masks[b])
        for move in range(masks.shape[1]):
            for f in range(features.shape[2]):
                features[b, move, f] = 0
            if masks[b, move]:
                measure(states[b], move, features[b, move])


@entry(void(GAME, int8[:, ::1], float32[:, ::1], int64[::1], int8[:, ::1], float32[:, ::1]))
def mirror_many(game, states, policies, indexes, states_out, policies_out):
    """Every state and its policy ([B, M] float32) as symmetry indexes[b] shows them, into the two outputs."""
    _, _, _, _, _, _, _, mirror, mirror_move = rules(game)
    for b in range(len(states)):
        mirror(states[b], indexes[b], states_out[b])
        for move in range(policies.shape[1]):
            policies_out[b, move] = 0
        for move in range(policies.shape[1]):
            if policies[b, move] != 0:
                policies_out[b, mirror_move(states[b], move, indexes[b])] = policies[b, move]


def encode_states(game_addresses: tuple[int, ...], planes: tuple[int, int, int], states: np.ndarray) -> np.ndarray:
    """Planes of many states: [B, S] int8 to [B, *planes] float32."""
    out = np.zeros((len(states), *planes), np.float32)
    encode_many(game_addresses, np.ascontiguousarray(states), out)
    return out
