import { describe, expect, test } from "vitest";

import {
  BadGame,
  chooseMove,
  exportGame,
  importGames,
  isOver,
  loadOpponents,
  newGame,
  play,
  replay,
  scores,
  type GameRecord,
} from "../src/index.js";
import { tiersText } from "./release.js";

const opponents = loadOpponents({ tiers: tiersText() });

function played(board: number, cells: number[], seed: bigint, plies = 64): GameRecord {
  const moves: number[] = [];
  let state = newGame(board, cells);
  while (!isOver(state) && moves.length < plies) {
    const { cell } = chooseMove(opponents, state, "easy", seed + BigInt(moves.length));
    moves.push(cell);
    state = play(state, cell);
  }
  const result = isOver(state) ? scores(state) : null;
  return { board, cells, moves, players: ["human", "easy"], result, seed: String(seed) };
}

const empty = (board: number): number[] => Array<number>(board * board).fill(0);
const whole = played(4, empty(4), 5n);
const opening = played(5, [3, 1, 2, ...Array<number>(22).fill(0)], 2n ** 64n - 1n);
const unfinished = played(6, empty(6), 7n, 9);

describe("games that are right", () => {
  test("come back as they went", () => {
    const games = [whole, opening, unfinished, { ...whole, moves: [], result: null }];
    expect(importGames(games.map(exportGame).join(""))).toEqual(games);
  });

  test("may have empty lines between them, and the line ends of other systems", () => {
    expect(importGames("\r\n" + exportGame(whole).trimEnd() + "\r\n\r\n" + exportGame(opening))).toEqual([
      whole,
      opening,
    ]);
    expect(importGames("")).toEqual([]);
  });

  test("are one line of JSON with sorted keys", () => {
    const line = exportGame(unfinished);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    const keys = Object.keys(JSON.parse(line) as object);
    expect(keys).toEqual([...keys].sort());
  });

  test("can be replayed to any move", () => {
    expect(scores(replay(whole))).toEqual(whole.result);
    expect(replay(unfinished, 0)).toEqual(newGame(6));
  });
});

describe("a game is refused", () => {
  const line = (change: Record<string, unknown>): string => {
    const { board, cells, moves, players, result, seed } = whole;
    const game = { board, cells, format: "pocketzero game 1", game: "cell_division", moves, players, result, seed };
    return JSON.stringify({ ...game, ...change });
  };
  const moves = whole.moves;

  test.each<[string, string, string, number | undefined]>([
    ["that is no JSON", "{", "line 2: it is not a JSON object", undefined],
    ["that is a list", "[]", "line 2: it is not a JSON object", undefined],
    ["without its seed", line({ seed: undefined }), "line 2: seed is missing", undefined],
    ["with something unknown", line({ date: 1 }), "line 2: date is not a part of a game", undefined],
    ["of another format", line({ format: "2" }), 'line 2: format is "2"; it should be "pocketzero game 1"', undefined],
    ["of another game", line({ game: "tron" }), 'line 2: game is "tron"; it should be "cell_division"', undefined],
    ["on another board", line({ board: 9 }), "line 2: board is 9; it should be one of 4, 5, 6, 7, 8", undefined],
    ["from no position", line({ cells: [1] }), "line 2: cells holds 1 numbers; it should hold 16", undefined],
    ["with moves in words", line({ moves: ["1"] }), 'line 2: moves is ["1"]; it should be a list of cells', undefined],
    ["of three", line({ players: ["a", "b", "c"] }), "line 2: players is", undefined],
    [
      "with a long seed",
      line({ seed: "18446744073709551616" }),
      "it should be a decimal string of at most 64 bits",
      undefined,
    ],
    ["with a seed for a number", line({ seed: 5 }), "line 2: seed is 5", undefined],
    [
      "with a cell taken twice",
      line({ moves: [moves[0], moves[0]] }),
      `line 2, move 2: cell ${moves[0]} is taken by a stone of player 0`,
      2,
    ],
    ["with a cell off the board", line({ moves: [16] }), "line 2, move 1: cell 16 is not on the board", 1],
    ["that goes on after its end", line({ moves: [...moves, 0] }), "line 2, move 17: cell 0 is taken", 17],
    ["with another result", line({ result: [1, 2] }), "line 2: result is [1,2]; after these moves it is [", undefined],
    ["with a result too early", line({ moves: [] }), "; after these moves it is null", undefined],
    ["with half a result", line({ result: [1] }), "line 2: result is [1]; it should be two totals", undefined],
  ])("%s", (_, text, message, move) => {
    const read = (): unknown => importGames(exportGame(whole) + text);
    expect(read).toThrow(BadGame);
    expect(read).toThrow(message);
    try {
      read();
    } catch (error) {
      expect(error).toMatchObject({ line: 2, move });
    }
  });

  test("when it is written, too", () => {
    expect(() => exportGame({ ...whole, result: null })).toThrow("line 1: result is null; after these moves it is");
  });
});
