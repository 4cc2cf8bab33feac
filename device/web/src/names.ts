/** What things are called on the page. */

import type { Player } from "../../src/index.js";
import { HUMAN, type Game } from "./game.js";

export const COLOURS: readonly [string, string] = ["Coral", "Azure"];

/** The tiers that are offered, weakest first, in a designer's words. */
export const TIERS: ReadonlyArray<{ readonly name: string; readonly title: string; readonly about: string }> = [
  { name: "easy", title: "Easy", about: "Drifts to open space and rarely counts." },
  { name: "medium", title: "Medium", about: "Grabs points now: its own, or yours." },
  { name: "hard", title: "Hard", about: "Trained judgement on thirteen features." },
  { name: "elite", title: "Elite", about: "A small neural network, taught by search." },
  { name: "fallback", title: "Fallback", about: "Stands in for Elite where no network runs." },
];

export function titleOf(player: string): string {
  if (player === HUMAN) return "You";
  return TIERS.find((tier) => tier.name === player)?.title ?? player;
}

/** How a seat is addressed in a game: with two people at the board, by colour. */
export function seatName(game: Pick<Game, "players">, seat: Player): string {
  const [first, second] = game.players;
  if (first === second) return first === HUMAN ? COLOURS[seat] : `${titleOf(first)} (${COLOURS[seat]})`;
  return titleOf(game.players[seat]);
}

/** Column letter and row number, such as C4; A1 is the top left corner. */
export function cellName(board: number, cell: number): string {
  return String.fromCharCode(65 + (cell % board)) + (Math.floor(cell / board) + 1);
}

export function points(count: number): string {
  return count === 1 ? "1 point" : `${count} points`;
}

/** A score of a cell, short enough to stand on it. */
export function shortNumber(score: number): string {
  const text = Math.abs(score) < 9.995 ? score.toFixed(2) : score.toFixed(1);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}
