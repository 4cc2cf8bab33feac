/** A game on the page: its start, the moves that were made, and how many of them are on the board right now. */

import {
  isOver,
  newGame,
  play,
  scores,
  SplitMix64,
  type GameRecord,
  type Player,
  type State,
} from "../../src/index.js";

/** The name of a person in a game record; every other player is the name of a tier. */
export const HUMAN = "human";

export interface Game {
  readonly board: number;
  readonly cells: readonly number[];
  readonly players: readonly [string, string];
  readonly seed: bigint;
  /** All moves, also those that were taken back and can be made again. */
  readonly moves: readonly number[];
  /** How many of them are on the board. */
  readonly shown: number;
}

export function fromRecord(record: GameRecord): Game {
  const { board, cells, players, moves } = record;
  return { board, cells, players, moves, seed: BigInt(record.seed), shown: moves.length };
}

/** What is saved: all of a finished game, even while an earlier position is looked at, else what is on the board. */
export function toRecord(game: Game): GameRecord {
  const { board, cells, players, seed } = game;
  const finished = isOver(positionAt(game, game.moves.length));
  const moves = finished ? game.moves : game.moves.slice(0, game.shown);
  const result = finished ? scores(positionAt(game, moves.length)) : null;
  return { board, cells, players, moves, result, seed: String(seed) };
}

export function positionAt(game: Game, ply: number): State {
  return game.moves.slice(0, ply).reduce(play, newGame(game.board, game.cells));
}

/** Who moves after `ply` moves. */
export function seatAt(game: Game, ply: number): Player {
  return ((positionAt(game, 0).toMove + ply) % 2) as Player;
}

/** The seed of the move after `ply` moves: the stream of the game's seed, one number a move. */
export function moveSeed(game: Game, ply: number): bigint {
  const stream = new SplitMix64(game.seed);
  for (let drawn = 0; drawn < ply; drawn++) stream.next();
  return stream.next();
}

/** The game after one more move; moves that were taken back are forgotten. Throws IllegalMove. */
export function withMove(game: Game, cell: number): Game {
  play(positionAt(game, game.shown), cell);
  const moves = [...game.moves.slice(0, game.shown), cell];
  return { ...game, moves, shown: moves.length };
}

/**
 * How many moves are on the board one step back (-1) or forward (1): where a person plays, the next position in which it
 * is a person's turn, or the end; undefined where there is none.
 */
export function stepTo(game: Game, direction: -1 | 1): number | undefined {
  const persons = game.players.includes(HUMAN);
  for (let ply = game.shown + direction; ply >= 0 && ply <= game.moves.length; ply += direction) {
    const isEnd = direction === 1 && ply === game.moves.length;
    if (!persons || isEnd || game.players[seatAt(game, ply)] === HUMAN) return ply;
  }
  return undefined;
}
