/**
 * The 14 numbers by which a linear tier judges an empty cell.
 *
 * Each is an integer over a fixed denominator, so every runtime computes the same double to the last bit. "ai" is the
 * player to move, "opp" the opponent. openness + ai_neighbors + opp_neighbors + boundary_neighbors is always 1.
 */

import {
  AXES,
  BLOCKED,
  EMPTY,
  NEIGHBOURS,
  RING,
  activeAxes,
  checkMove,
  gridIndex,
  paddedGrid,
  type State,
} from "./rules.js";

export const FEATURES: readonly string[] = [
  "immediate_ai", // points the player's total would gain here; 24 is the most possible: 8, and 2 for each of 8 others
  "immediate_opp", // the same for the opponent
  "openness", // empty neighbours
  "ai_neighbors",
  "opp_neighbors",
  "ai_connectivity", // axes through the cell with a stone of the player
  "opp_connectivity",
  "ai_underlap", // directions with an empty neighbour and the player's stone right behind it
  "opp_underlap",
  "boundary_neighbors", // neighbours off the board or blocked
  "ai_half_axis", // axes with exactly one stone of the player
  "opp_half_axis",
  "second_order_openness", // empty cells at Chebyshev distance 2
  "game_progress", // stones on the board: 0 on an empty board, 1 at the last move
];

/** What each is a fraction of. 0: not a fixed number; game_progress is over the playable cells less one. */
export const DENOMINATORS: readonly number[] = [24, 24, 8, 8, 8, 4, 4, 8, 8, 8, 4, 4, 16, 0];

/** How many of them a linear tier weighs: all but game_progress. */
export const WEIGHED = FEATURES.length - 1;

/**
 * The features of an empty cell, [14], in the order of FEATURES.
 *
 * @throws IllegalMove where the cell is not an empty cell of the board.
 */
export function features(state: State, cell: number): Float64Array {
  checkMove(state, cell);
  return cellFeatures(paddedGrid(state), gridIndex(state.board, cell), state.toMove, progress(state));
}

/** The features of every cell in `moves` (all of them empty), in that order. */
export function featuresOf(state: State, moves: readonly number[]): Float64Array[] {
  const grid = paddedGrid(state);
  const played = progress(state);
  return moves.map((cell) => cellFeatures(grid, gridIndex(state.board, cell), state.toMove, played));
}

function cellFeatures(grid: Uint8Array, at: number, toMove: number, played: number): Float64Array {
  const mine = 1 + toMove;
  const theirs = 2 - toMove;
  const out = new Float64Array(FEATURES.length);
  out[0] = gain(grid, at, mine) / 24;
  out[1] = gain(grid, at, theirs) / 24;
  out[2] = count(grid, at, NEIGHBOURS, EMPTY) / 8;
  out[3] = count(grid, at, NEIGHBOURS, mine) / 8;
  out[4] = count(grid, at, NEIGHBOURS, theirs) / 8;
  out[5] = activeAxes(grid, at, mine) / 4;
  out[6] = activeAxes(grid, at, theirs) / 4;
  out[7] = underlap(grid, at, mine) / 8;
  out[8] = underlap(grid, at, theirs) / 8;
  out[9] = count(grid, at, NEIGHBOURS, BLOCKED) / 8;
  out[10] = halfAxes(grid, at, mine) / 4;
  out[11] = halfAxes(grid, at, theirs) / 4;
  out[12] = count(grid, at, RING, EMPTY) / 16;
  out[13] = played;
  return out;
}

/** Points by which that player's total grows with a stone on the empty cell. */
function gain(grid: Uint8Array, at: number, stone: number): number {
  let ownAxes = 0;
  let others = 0;
  for (const axis of AXES) {
    let touches = 0;
    for (const step of [-axis, axis]) {
      if (grid[at + step] !== stone) continue;
      touches = 1;
      if (grid[at + 2 * step] !== stone) {
        // This axis of the neighbour becomes active.
        others += activeAxes(grid, at + step, stone) > 0 ? 2 : 1;
      }
    }
    ownAxes += touches;
  }
  return others + (ownAxes > 0 ? 2 * ownAxes : 1);
}

function count(grid: Uint8Array, at: number, steps: readonly number[], what: number): number {
  let found = 0;
  for (const step of steps) if (grid[at + step] === what) found++;
  return found;
}

/** In how many directions the neighbour is empty and the cell behind it that player's. */
function underlap(grid: Uint8Array, at: number, stone: number): number {
  let found = 0;
  for (const step of NEIGHBOURS) if (grid[at + step] === EMPTY && grid[at + 2 * step] === stone) found++;
  return found;
}

/** On how many axes exactly one of the two neighbours is that player's. */
function halfAxes(grid: Uint8Array, at: number, stone: number): number {
  let found = 0;
  for (const axis of AXES) if ((grid[at + axis] === stone) !== (grid[at - axis] === stone)) found++;
  return found;
}

/** Stones on the board over the playable cells less one. */
function progress(state: State): number {
  let stones = 0;
  let playable = 0;
  for (const what of state.cells) {
    if (what !== BLOCKED) playable++;
    if (what !== BLOCKED && what !== EMPTY) stones++;
  }
  return stones / (playable - 1);
}
