/** Seeded openings: the same ones that the pipeline trains and measures on. */

import { SplitMix64 } from "../../src/index.js";

/**
 * The start that a seed stands for, as `init` in pocketzero/games/cell_division/rules.py makes it: 0 to n / 2 blocked
 * cells, then 0 to 3 stones of each player, on distinct cells.
 *
 * @param seed 0 is the empty board.
 * @returns n * n numbers, as in State.cells.
 */
export function opening(board: number, seed: bigint): Uint8Array {
  const cells = new Uint8Array(board * board);
  if (seed === 0n) return cells;
  const stream = new SplitMix64(seed);
  const below = (bound: number): number => Number((stream.next() >> 11n) % BigInt(bound));
  const blocked = below(Math.floor(board / 2) + 1);
  const stones = 2 * below(4);
  for (let piece = 0; piece < blocked + stones; piece++) {
    let cell: number;
    do {
      const row = below(board);
      cell = row * board + below(board);
    } while (cells[cell] !== 0);
    cells[cell] = piece < blocked ? 3 : 1 + ((piece - blocked) % 2);
  }
  return cells;
}
