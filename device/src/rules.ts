/**
 * The rules of Cell Division.
 *
 * Two players take turns to put a stone on an empty cell of an n x n board until it is full; nothing is captured. An
 * axis of a stone (vertical, horizontal, two diagonals) is active when at least one of its two neighbours on that axis
 * is a stone of the same player. A stone with no active axis scores 1, otherwise 2 for every active axis. The higher
 * total wins. Blocked cells are never played on and count as off the board.
 */

export const BOARDS: readonly number[] = [4, 5, 6, 7, 8];
/** What a cell holds: 0 empty, 1 a stone of player 0, 2 a stone of player 1, 3 blocked. */
export const EMPTY = 0;
export const BLOCKED = 3;

export type Player = 0 | 1;

/** A position. Treat it as read-only: `play` returns a new one. */
export interface State {
  /** n: the board is n x n, n in 4 .. 8. */
  readonly board: number;
  /** n * n numbers, row by row: 0 empty, 1 player 0's stone, 2 player 1's, 3 blocked. A move is an index into it. */
  readonly cells: Uint8Array;
  readonly toMove: Player;
}

/** A move that the rules do not allow. */
export class IllegalMove extends Error {
  override readonly name = "IllegalMove";
}

/** A position that cannot be on any board. */
export class BadPosition extends Error {
  override readonly name = "BadPosition";
}

/**
 * The start of a game, or any position of one: whose turn it is follows from the number of stones.
 *
 * @param board n, 4 to 8.
 * @param cells n * n numbers, row by row; left out, the board is empty.
 * @throws BadPosition naming what is wrong and what would be right.
 */
export function newGame(board: number, cells?: ArrayLike<number>): State {
  if (!BOARDS.includes(board)) throw new BadPosition(`board is ${board}; it should be one of ${BOARDS.join(", ")}`);
  const size = board * board;
  if (cells === undefined) return { board, cells: new Uint8Array(size), toMove: 0 };
  if (cells.length !== size) {
    throw new BadPosition(`cells holds ${cells.length} numbers; it should hold ${size}, one a cell`);
  }
  const count = [0, 0, 0, 0];
  for (let cell = 0; cell < size; cell++) {
    const what = cells[cell] as number;
    if (what !== 0 && what !== 1 && what !== 2 && what !== 3) {
      throw new BadPosition(
        `cells[${cell}] is ${String(what)}; it should be 0 (empty), 1 or 2 (a player's stone) or 3 (blocked)`,
      );
    }
    count[what]!++;
  }
  const [, first = 0, second = 0, blocked = 0] = count;
  const toMove = first - second;
  if (toMove !== 0 && toMove !== 1) {
    throw new BadPosition(
      `the players have ${first} and ${second} stones; player 0 should have as many as player 1, or one more`,
    );
  }
  if (size - blocked < 2) throw new BadPosition(`${blocked} of ${size} cells are blocked; at least 2 should be left`);
  return { board, cells: Uint8Array.from(cells), toMove };
}

/**
 * The position after the player to move has put a stone on a cell.
 *
 * @throws IllegalMove where the cell is not an empty cell of the board.
 */
export function play(state: State, cell: number): State {
  checkMove(state, cell);
  const cells = state.cells.slice();
  cells[cell] = 1 + state.toMove;
  return { board: state.board, cells, toMove: state.toMove === 0 ? 1 : 0 };
}

/** Throws IllegalMove unless the cell is an empty cell of the board. */
export function checkMove(state: State, cell: number): void {
  const size = state.board * state.board;
  if (!Number.isInteger(cell) || cell < 0 || cell >= size) {
    throw new IllegalMove(`cell ${String(cell)} is not on the board; its cells are 0 to ${size - 1}`);
  }
  const what = state.cells[cell];
  if (what === BLOCKED) throw new IllegalMove(`cell ${cell} is blocked`);
  if (what !== EMPTY) throw new IllegalMove(`cell ${cell} is taken by a stone of player ${what! - 1}`);
}

/** The empty cells, ascending. A cell is row * n + column. */
export function legalMoves(state: State): number[] {
  const moves: number[] = [];
  for (let cell = 0; cell < state.cells.length; cell++) if (state.cells[cell] === EMPTY) moves.push(cell);
  return moves;
}

export function isOver(state: State): boolean {
  return !state.cells.includes(EMPTY);
}

/** The points of player 0 and of player 1, also while the game goes on. */
export function scores(state: State): [number, number] {
  const grid = paddedGrid(state);
  const totals: [number, number] = [0, 0];
  for (let cell = 0; cell < state.cells.length; cell++) {
    const what = state.cells[cell]!;
    if (what !== 1 && what !== 2) continue;
    const axes = activeAxes(grid, gridIndex(state.board, cell), what);
    totals[what === 1 ? 0 : 1] += axes > 0 ? 2 * axes : 1;
  }
  return totals;
}

/** Who won; undefined while the game goes on. */
export function winner(state: State): Player | "draw" | undefined {
  if (!isOver(state)) return undefined;
  const [first, second] = scores(state);
  return first > second ? 0 : second > first ? 1 : "draw";
}

/** Width of the padded grid: 8 and 2 on either side, so that a look two cells away never leaves it. */
const WIDTH = 12;
/** Steps along the four axes on the padded grid: right, down, down-right, down-left. */
export const AXES: readonly number[] = [1, WIDTH, WIDTH + 1, WIDTH - 1];
/** The steps to the 8 neighbours. */
export const NEIGHBOURS: readonly number[] = AXES.flatMap((axis) => [-axis, axis]);
/** The steps to the 16 cells at Chebyshev distance 2. */
export const RING: readonly number[] = ringSteps();

/** The board on a 12 x 12 grid, blocked all around. */
export function paddedGrid(state: State): Uint8Array {
  const grid = new Uint8Array(WIDTH * WIDTH).fill(BLOCKED);
  for (let row = 0; row < state.board; row++) {
    grid.set(
      state.cells.subarray(row * state.board, (row + 1) * state.board),
      gridIndex(state.board, row * state.board),
    );
  }
  return grid;
}

/** Where a cell of the board is on the padded grid. */
export function gridIndex(board: number, cell: number): number {
  const row = Math.floor(cell / board);
  return (row + 2) * WIDTH + (cell - row * board) + 2;
}

/** On how many axes a cell of the padded grid touches that player's stones. */
export function activeAxes(grid: Uint8Array, at: number, stone: number): number {
  let count = 0;
  for (const axis of AXES) if (grid[at + axis] === stone || grid[at - axis] === stone) count++;
  return count;
}

function ringSteps(): number[] {
  const steps: number[] = [];
  for (let down = -2; down <= 2; down++) {
    for (let right = -2; right <= 2; right++) {
      if (Math.max(Math.abs(down), Math.abs(right)) === 2) steps.push(down * WIDTH + right);
    }
  }
  return steps;
}
