import { describe, expect, test } from "vitest";

import { features } from "../src/features.js";
import { BOARDS, isOver, legalMoves, newGame, play, scores, winner, type State } from "../src/rules.js";
import { SplitMix64 } from "../src/splitmix64.js";
import vectors from "./vectors.json" with { type: "json" };

/** All positions of a random game from a start with one blocked cell, last one included. */
function randomGame(board: number, seed: bigint): State[] {
  const numbers = new SplitMix64(seed);
  const cells = new Uint8Array(board * board);
  cells[Math.floor(numbers.uniform() * cells.length)] = 3;
  const states = [newGame(board, cells)];
  for (let state = states[0]!; !isOver(state); states.push(state)) {
    const moves = legalMoves(state);
    state = play(state, moves[Math.floor(numbers.uniform() * moves.length)]!);
  }
  return states;
}

const GAMES = BOARDS.flatMap((board) => [1n, 2n, 3n, 4n].map((seed) => randomGame(board, seed)));

describe("worked values", () => {
  const points = (rows: string[]): [number, number] => {
    // Only player 0's stones are set, so the rest is filled up with moves of player 1 far away where counts must match.
    const cells = rows.join("").split("").map(Number);
    return scores({ board: rows.length, cells: Uint8Array.from(cells), toMove: 0 });
  };

  test("a square of four scores 24, three in a corner L 12, one alone 1, two side by side 4", () => {
    expect(points(["1100", "1100", "0000", "0000"])).toEqual([24, 0]);
    expect(points(["1100", "1000", "0000", "0000"])).toEqual([12, 0]);
    expect(points(["1000", "0000", "0000", "0002"])).toEqual([1, 1]);
    expect(points(["0000", "0220", "0000", "0000"])).toEqual([0, 4]);
  });

  test("both sides of an axis count once, a blocked cell like the edge", () => {
    expect(points(["1110", "0000", "0000", "0000"])).toEqual([6, 0]);
    expect(points(["1310", "0000", "0000", "0000"])).toEqual([2, 0]);
  });
});

describe("games that Python played", () => {
  test.each(vectors.games.map((game, index) => ({ ...game, index })))("game $index on board $board", (game) => {
    let state = newGame(game.board, game.cells);
    game.moves.forEach((move, ply) => {
      state = play(state, move);
      expect(scores(state)).toEqual(game.scores[ply]);
    });
    expect(isOver(state)).toBe(true);
  });
});

describe("whatever is played", () => {
  test("the players alternate, one cell is filled a move, and only the end has a winner", () => {
    for (const states of GAMES) {
      states.forEach((state, ply) => {
        expect(state.toMove).toBe(ply % 2);
        expect(legalMoves(state).length).toBe(state.cells.length - 1 - ply);
        expect(newGame(state.board, state.cells)).toEqual(state);
        expect(winner(state) === undefined).toBe(ply < states.length - 1);
      });
    }
  });

  test("a position stays as it is when a move is played on it", () => {
    const state = newGame(4);
    play(state, 5);
    expect(state).toEqual(newGame(4));
  });

  test("no stone loses points: a move's gain is what the feature says", () => {
    for (const states of GAMES) {
      for (const [ply, state] of states.slice(0, -1).entries()) {
        const next = states[ply + 1]!;
        const cell = next.cells.findIndex((what, index) => what !== state.cells[index]);
        const [before, after] = [scores(state), scores(next)];
        expect(features(state, cell)[0]! * 24).toBeCloseTo(after[state.toMove] - before[state.toMove], 9);
        expect(after[1 - state.toMove]).toBe(before[1 - state.toMove]);
      }
    }
  });

  test("a mirrored board has the same points and the mirrored cell the same features", () => {
    for (const states of GAMES) {
      const state = states[Math.floor(states.length / 2)]!;
      const mirror = (cell: number): number => cell - (cell % state.board) + state.board - 1 - (cell % state.board);
      const image = newGame(
        state.board,
        Array.from(state.cells, (_, cell) => state.cells[mirror(cell)]!),
      );
      expect(scores(image)).toEqual(scores(state));
      for (const cell of legalMoves(state)) expect(features(image, mirror(cell))).toEqual(features(state, cell));
    }
  });

  test("features are in 0 .. 1, and the four kinds of neighbours make 8", () => {
    for (const states of GAMES) {
      for (const state of states) {
        for (const cell of legalMoves(state)) {
          const found = features(state, cell);
          expect(found.every((value) => value >= 0 && value <= 1)).toBe(true);
          expect(found[2]! + found[3]! + found[4]! + found[9]!).toBe(1);
        }
      }
    }
  });
});

describe("what is refused", () => {
  test.each([
    [() => newGame(3), "board is 3; it should be one of 4, 5, 6, 7, 8"],
    [() => newGame(4, [0]), "cells holds 1 numbers; it should hold 16"],
    [() => newGame(4, [4, ...Array<number>(15).fill(0)]), "cells[0] is 4; it should be 0 (empty)"],
    [() => newGame(4, [0.5, ...Array<number>(15).fill(0)]), "cells[0] is 0.5"],
    [() => newGame(4, [2, ...Array<number>(15).fill(0)]), "the players have 0 and 1 stones"],
    [() => newGame(4, [0, ...Array<number>(15).fill(3)]), "15 of 16 cells are blocked"],
    [() => play(newGame(4), 16), "cell 16 is not on the board; its cells are 0 to 15"],
    [() => play(newGame(4), 1.5), "cell 1.5 is not on the board"],
    [() => play(newGame(4, [3, ...Array<number>(15).fill(0)]), 0), "cell 0 is blocked"],
    [() => play(newGame(4, [1, ...Array<number>(15).fill(0)]), 0), "cell 0 is taken by a stone of player 0"],
    [() => features(newGame(4, [1, ...Array<number>(15).fill(0)]), 0), "cell 0 is taken by a stone of player 0"],
  ])("%s", (wrong, message) => {
    expect(wrong).toThrow(message);
  });
});
