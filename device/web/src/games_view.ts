/** The games of this visit, and the moves of the one on the board. */

import { byId, html } from "./elements.js";
import { seatAt, toRecord, type Game } from "./game.js";
import { cellName, COLOURS, seatName } from "./names.js";

export function showGames(games: readonly Game[], current: number, onOpen: (index: number) => void): void {
  const list = byId("games");
  const focused = list.contains(document.activeElement);
  list.replaceChildren(
    ...games.map((game, index) => {
      const { result, moves } = toRecord(game);
      const outcome = result === null ? `move ${moves.length}` : `${result[0]} – ${result[1]}`;
      const button = html(
        "button",
        { type: "button", "aria-current": String(index === current) },
        html("span", { class: "versus" }, `${seatName(game, 0)} v ${seatName(game, 1)}`),
        html("small", {}, `${game.board} × ${game.board}`),
        html("b", {}, outcome),
      );
      button.addEventListener("click", () => onOpen(index));
      return html("li", {}, button);
    }),
  );
  if (focused) list.querySelector<HTMLElement>('[aria-current="true"]')?.focus();
}

export function showMoves(game: Game): void {
  const list = byId("moves");
  list.replaceChildren(
    ...game.moves.map((cell, ply) => {
      const move = html("li", { class: COLOURS[seatAt(game, ply)].toLowerCase() }, cellName(game.board, cell));
      move.classList.toggle("undone", ply >= game.shown);
      move.classList.toggle("last", ply === game.shown - 1);
      return move;
    }),
  );
  byId("moves-title").hidden = game.moves.length === 0;
  // Only the list scrolls, never the page.
  const last = list.querySelector<HTMLElement>(".last");
  list.scrollTop = last === null ? 0 : last.offsetTop - list.clientHeight / 2;
}
