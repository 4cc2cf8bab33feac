/** What the page remembers between visits. A browser may forbid it: the page then starts fresh every time. */

import { BadGame, exportGame, importGames } from "../../src/index.js";
import { fromRecord, toRecord, type Game } from "./game.js";
import { readChoices, type Choices } from "./setup.js";

const KEY = "cell-division";
const KEPT = 50;

export interface Visit {
  readonly choices: Choices;
  readonly games: readonly Game[];
  readonly current: number;
}

export function remember(visit: Visit): void {
  const from = Math.max(0, Math.min(visit.current, visit.games.length - KEPT));
  const games = visit.games.slice(from, from + KEPT);
  const text = games.map((game) => exportGame(toRecord(game))).join("");
  try {
    localStorage.setItem(KEY, JSON.stringify({ choices: visit.choices, games: text, current: visit.current - from }));
  } catch {
    // Storage is full or forbidden.
  }
}

/** The last visit; undefined where there is none, or where it is not one that this page can read. */
export function recall(): Visit | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "null") as Record<string, unknown> | null;
    if (stored === null) return undefined;
    const games = importGames(String(stored["games"])).map(fromRecord);
    const current = Number(stored["current"]);
    if (games[current] === undefined) return undefined;
    return { choices: readChoices(stored["choices"]), games, current };
  } catch (error) {
    if (error instanceof BadGame || error instanceof SyntaxError || error instanceof DOMException) return undefined;
    throw error;
  }
}
