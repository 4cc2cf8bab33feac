/** Both players with their points, and how the points are shared out. */

import { isOver, scores, winner, type Player, type State } from "../../src/index.js";
import { byId, html } from "./elements.js";
import { HUMAN, type Game } from "./game.js";
import { COLOURS, seatName, titleOf } from "./names.js";
import { nucleus } from "./stone.js";

export interface PlayersPicture {
  readonly game: Game;
  readonly state: State;
  readonly thinking: boolean;
  /** The tier that really plays for a seat where it is another one than its name says. */
  readonly standIn: (seat: Player) => string | undefined;
}

export function showPlayers(picture: PlayersPicture): void {
  const { game, state } = picture;
  const totals = scores(state);
  const won = winner(state);
  const seats = ([0, 1] as const).map((seat) => {
    const isTurn = !isOver(state) && state.toMove === seat;
    const colour = COLOURS[seat].toLowerCase();
    const card = html("div", { class: `player ${colour}`, "data-seat": String(seat) });
    card.classList.toggle("turn", isTurn);
    card.classList.toggle("winner", won === seat);
    card.append(
      html("span", { class: "avatar" }, nucleus([true, true, seat === 0, seat === 1])),
      html(
        "span",
        { class: "who" },
        html("b", {}, seatName(game, seat)),
        html("small", {}, caption(picture, seat, isTurn)),
      ),
      html("output", { class: "points", "aria-label": `${COLOURS[seat]}'s points` }, String(totals[seat])),
    );
    return card;
  });
  const share = totals[0] + totals[1] === 0 ? 0.5 : totals[0] / (totals[0] + totals[1]);
  const balance = html("div", { class: "balance", "aria-hidden": "true" }, html("i"));
  const root = byId("players");
  const old = root.querySelector<HTMLElement>(".balance");
  // The bar stays, so that it can slide.
  const bar = old ?? balance;
  bar.style.setProperty("--share", String(share));
  root.querySelectorAll(".player").forEach((card) => card.remove());
  if (old === null) root.append(bar);
  root.prepend(...seats);
}

function caption({ game, thinking, standIn }: PlayersPicture, seat: Player, isTurn: boolean): string {
  const player = game.players[seat];
  if (isTurn && thinking && player !== HUMAN) return "thinking…";
  const other = standIn(seat);
  if (other !== undefined) return `${titleOf(other)} plays for it`;
  return COLOURS[seat];
}

/** What goes on, in a few words. */
export function statusOf(game: Game, state: State, canGoOn: boolean): string {
  const won = winner(state);
  if (won === undefined) {
    if (!canGoOn) return "A game to look at";
    if (game.shown < game.moves.length) return `Move ${game.shown} of ${game.moves.length}`;
    const name = seatName(game, state.toMove);
    if (game.players[state.toMove] !== HUMAN) return `${name} to move`;
    return name === "You" ? "Your turn" : `${name} to move`;
  }
  const [first, second] = scores(state);
  const result = `${Math.max(first, second)} to ${Math.min(first, second)}`;
  if (won === "draw") return `A draw, ${result}`;
  const name = seatName(game, won);
  return name === "You" ? `You win, ${result}` : `${name} wins, ${result}`;
}
