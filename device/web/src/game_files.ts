/** Games from and to files. */

import { BadGame, exportGame, importGames } from "../../src/index.js";
import { fromRecord, toRecord, type Game } from "./game.js";

const NAME = "cell-division-games.jsonl";
/** Well over ten thousand games; more would only freeze the list. */
const LARGEST = 8 * 2 ** 20;

/** Hand all games to the browser as one file. */
export function download(games: readonly Game[]): void {
  const text = games.map((game) => exportGame(toRecord(game))).join("");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
  link.download = NAME;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The games of a file. Rejects with a message for the player where a single thing in it is wrong. */
export async function read(file: File): Promise<Game[]> {
  if (file.size > LARGEST) throw new BadFile(`${file.name} is larger than ${LARGEST / 2 ** 20} MB.`);
  try {
    const games = importGames(await file.text()).map(fromRecord);
    if (games.length === 0) throw new BadFile(`${file.name} holds no game.`);
    return games;
  } catch (error) {
    if (error instanceof BadGame) throw new BadFile(`${file.name}, ${error.message}. Nothing was imported.`);
    throw error;
  }
}

export class BadFile extends Error {
  override readonly name = "BadFile";
}
