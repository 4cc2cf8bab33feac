/** How a network sees a position. */

import type { State } from "./rules.js";

/** Side of the grid that every board lies on, in its top-left corner. */
export const SIDE = 8;
export const CELLS = SIDE * SIDE;
export const PLANES = 3;

/**
 * Own stones, the opponent's, empty cells, each 1 or 0, as the player to move sees them. A blocked cell is 0 in all
 * three, like the cells outside the board.
 *
 * @param planes [192], overwritten: plane p of the cell c of the grid goes to c * cellStep + p * planeStep.
 */
export function writePlanes(
  state: State,
  planes: Float32Array | Float64Array,
  cellStep: number,
  planeStep: number,
): void {
  planes.fill(0);
  state.cells.forEach((what, cell) => {
    if (what > 2) return;
    const plane = what === 0 ? 2 : what === 1 + state.toMove ? 0 : 1;
    planes[gridCell(state.board, cell) * cellStep + plane * planeStep] = 1;
  });
}

/** The number of a cell of the board on the 8 x 8 grid, which is that of its logit. */
export function gridCell(board: number, cell: number): number {
  const row = Math.floor(cell / board);
  return row * SIDE + (cell - row * board);
}
