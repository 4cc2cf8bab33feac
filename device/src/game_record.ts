/** Games as text: one JSON object a line, the same on this side and in Python. */

import { cut } from "./bad_model.js";
import { GAME } from "./tiers.js";
import { BadPosition, IllegalMove, isOver, newGame, play, scores, type State } from "./rules.js";

const FORMAT = "pocketzero game 1";
const KEYS = ["board", "cells", "format", "game", "moves", "players", "result", "seed"];

/** One game, from any start. */
export interface GameRecord {
  board: number;
  /** The start, n * n numbers as in State. */
  cells: readonly number[];
  /** Cells in the order in which they were played. */
  moves: readonly number[];
  /** Who played first and second: "human" or the name of a tier. */
  players: readonly [string, string];
  /** The points of both where the game was played to its end, else null. */
  result: readonly [number, number] | null;
  /** The seed of the opponent's sampled moves: 64 bits in decimal. */
  seed: string;
}

/** A game that is refused: the message names the line, and the move where it is a move that is wrong. */
export class BadGame extends Error {
  override readonly name = "BadGame";

  /** @param line counted from 1; @param move counted from 1, or undefined where no move is to blame. */
  constructor(
    readonly line: number,
    readonly move: number | undefined,
    reason: string,
  ) {
    super(`line ${line}${move === undefined ? "" : `, move ${move}`}: ${cut(reason)}`);
  }
}

/**
 * The game as one line of text, with its line end.
 *
 * @throws BadGame where importGames would refuse it.
 */
export function exportGame(record: GameRecord): string {
  const { board, cells, moves, players, result, seed } = record;
  const line = JSON.stringify({ board, cells, format: FORMAT, game: GAME, moves, players, result, seed });
  readGame(line, 1);
  return line + "\n";
}

/**
 * The games of a text, one a line; empty lines count but hold none. Every move is replayed through the rules.
 *
 * @throws BadGame for the first game that is not right.
 */
export function importGames(text: string): GameRecord[] {
  const lines = text.split(/\r?\n/);
  return lines.flatMap((line, index) => (line.trim() === "" ? [] : [readGame(line, index + 1)]));
}

/** The position at the end of a game, or after its first `moves` moves. */
export function replay(record: GameRecord, moves: number = record.moves.length): State {
  return record.moves.slice(0, moves).reduce(play, newGame(record.board, record.cells));
}

function readGame(text: string, line: number): GameRecord {
  const refuse = (reason: string, move?: number): never => {
    throw new BadGame(line, move, reason);
  };
  const value = parse(text) ?? refuse("it is not a JSON object");
  for (const key of KEYS) if (!(key in value)) refuse(`${key} is missing`);
  for (const key of Object.keys(value)) if (!KEYS.includes(key)) refuse(`${key} is not a part of a game`);
  const { board, cells, format, game, moves, players, result, seed } = value;
  if (format !== FORMAT) refuse(`format is ${show(format)}; it should be "${FORMAT}"`);
  if (game !== GAME) refuse(`game is ${show(game)}; it should be "${GAME}"`);
  if (typeof board !== "number") return refuse(`board is ${show(board)}; it should be a number`);
  if (!isList(cells)) return refuse(`cells is ${show(cells)}; it should be a list of numbers`);
  if (!isList(moves)) return refuse(`moves is ${show(moves)}; it should be a list of cells`);
  if (!isPair(players, "string")) return refuse(`players is ${show(players)}; it should be two names`);
  if (result !== null && !isPair(result, "number")) {
    return refuse(`result is ${show(result)}; it should be two totals of points, or null where the game is not over`);
  }
  if (!isSeed(seed)) return refuse(`seed is ${show(seed)}; it should be a decimal string of at most 64 bits`);
  let state = start(board, cells, refuse);
  moves.forEach((cell, index) => {
    try {
      state = play(state, cell);
    } catch (error) {
      if (!(error instanceof IllegalMove)) throw error;
      refuse(error.message, index + 1);
    }
  });
  const found = isOver(state) ? scores(state) : null;
  if (show(result) !== show(found)) refuse(`result is ${show(result)}; after these moves it is ${show(found)}`);
  return { board, cells, moves, players, result, seed };
}

function start(board: number, cells: number[], refuse: (reason: string) => never): State {
  try {
    return newGame(board, cells);
  } catch (error) {
    if (!(error instanceof BadPosition)) throw error;
    return refuse(error.message);
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function isList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((each) => typeof each === "number");
}

function isPair(value: unknown, type: "string"): value is [string, string];
function isPair(value: unknown, type: "number"): value is [number, number];
function isPair(value: unknown, type: string): boolean {
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === type);
}

function isSeed(value: unknown): value is string {
  return typeof value === "string" && /^(0|[1-9][0-9]{0,19})$/.test(value) && BigInt(value) < 2n ** 64n;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 80 ? text.slice(0, 77) + "..." : text;
}
