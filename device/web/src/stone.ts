/**
 * A stone's points, drawn so that they can be counted: a line for every active axis, two tips each; a dot for a stone
 * that stands alone. Tips are points.
 */

import type { State } from "../../src/index.js";
import { svg } from "./elements.js";

/** Steps (down, right) along the four axes. */
export const AXES: ReadonlyArray<readonly [number, number]> = [
  [1, 0],
  [0, 1],
  [1, 1],
  [1, -1],
];

/** Whether the cell (row + down, column + right) is on the board and holds that player's stone, 1 or 2. */
function holds(state: State, cell: number, down: number, right: number, stone: number): boolean {
  const row = Math.floor(cell / state.board) + down;
  const column = (cell % state.board) + right;
  const onBoard = row >= 0 && column >= 0 && row < state.board && column < state.board;
  return onBoard && state.cells[row * state.board + column] === stone;
}

/** Which of AXES a stone of that colour has, or would have, active on a cell. */
export function activeAxes(state: State, cell: number, stone: number): boolean[] {
  return AXES.map(
    ([down, right]) => holds(state, cell, down, right, stone) || holds(state, cell, -down, -right, stone),
  );
}

export function pointsOf(axes: readonly boolean[]): number {
  return Math.max(1, 2 * axes.filter(Boolean).length);
}

/** The cells that a stone touches in the direction of AXES, so that each pair of neighbours is found once. */
export function neighboursAhead(state: State, cell: number): number[] {
  const stone = state.cells[cell]!;
  return AXES.filter(([down, right]) => holds(state, cell, down, right, stone)).map(
    ([down, right]) => cell + down * state.board + right,
  );
}

/** The nucleus of a stone, on a square of 100 x 100. */
export function nucleus(axes: readonly boolean[]): SVGSVGElement {
  const picture = svg("svg", { class: "nucleus", viewBox: "0 0 100 100", "aria-hidden": "true" });
  picture.append(svg("circle", { class: "core", cx: 50, cy: 50, r: 29 }));
  AXES.forEach(([down, right], index) => {
    if (!axes[index]) return;
    const reach = 17.5 / Math.hypot(down, right);
    const [x, y] = [right * reach, down * reach];
    picture.append(svg("line", { class: "axis", x1: 50 - x, y1: 50 - y, x2: 50 + x, y2: 50 + y }));
  });
  if (!axes.some(Boolean)) picture.append(svg("circle", { class: "alone", cx: 50, cy: 50, r: 5.5 }));
  return picture;
}
