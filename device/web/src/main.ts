/** The page: what is played, who is asked for a move, and what is shown of it. */

import { isOver, scores, type ChosenMove, type Player } from "../../src/index.js";
import { BoardView, type Heat } from "./board_view.js";
import { byId, html } from "./elements.js";
import { Engine } from "./engine.js";
import { BadFile, download, read } from "./game_files.js";
import { HUMAN, moveSeed, positionAt, seatAt, stepTo, withMove, type Game } from "./game.js";
import { showGames, showMoves } from "./games_view.js";
import { cellName, seatName, titleOf } from "./names.js";
import { showPlayers, statusOf } from "./players_view.js";
import { DEFAULTS, makeGame, Setup, type Choices } from "./setup.js";
import { nucleus, pointsOf } from "./stone.js";
import { recall, remember } from "./storage.js";
import { showThoughts, type Thought } from "./thoughts_view.js";

/** An opponent answers in a few milliseconds; it moves after a breath, so that one sees what happened. `?pace=0`: at once. */
const PACE = Number(new URLSearchParams(location.search).get("pace") ?? 480);
/** Whose thoughts are shown where two people play. */
const ADVISER = "elite";

const visit = recall();
let choices: Choices = visit?.choices ?? DEFAULTS;
let games: Game[] = [...(visit?.games ?? [makeGame(choices)])];
let current = visit?.current ?? 0;
let tiers: readonly string[] = [];
let notice: string | undefined;
let paused = false;
let thinking = false;
let heatIsOn = false;
let view: "next" | "last" = "next";
let thought: { readonly key: string; readonly value: Thought } | undefined;
/** Grows with every change of the position, so that an answer that comes too late is dropped. */
let turn = 0;

const engine = new Engine();
const board = new BoardView(byId("board"), personPlays);
const setup = new Setup((chosen, game) => {
  choices = chosen;
  open([...played(), game], -1);
  announce(`New game. ${status()}`);
  board.focus();
});

function game(): Game {
  return games.at(current)!;
}

function state() {
  return positionAt(game(), game().shown);
}

/** Games in which something happened. */
function played(): Game[] {
  return games.filter((each) => each.moves.length > 0);
}

/** A game with a player that this page does not have is only looked at. */
function canGoOn(): boolean {
  return game().players.every((player) => player === HUMAN || tiers.length === 0 || tiers.includes(player));
}

function isPersonsTurn(): boolean {
  return !isOver(state()) && game().players[state().toMove] === HUMAN && canGoOn();
}

function status(): string {
  return statusOf(game(), state(), canGoOn());
}

/** Another position or another game: show it, keep it, and let an opponent move where it is its turn. */
function open(list: Game[], index: number): void {
  games = list;
  current = index < 0 ? list.length + index : index;
  paused = false;
  changed();
}

function changed(): void {
  turn++;
  thinking = false;
  remember({ choices, games, current });
  void opponentPlays();
  render();
}

function replaceGame(next: Game): void {
  const whole = positionAt(game(), game().moves.length);
  // A finished game is kept as it was; going on from the middle of it makes another one.
  if (isOver(whole) && next.moves !== game().moves) games = [...games.slice(0, current + 1), next, ...games.slice(current + 1)];
  else games = games.map((each, index) => (index === current ? next : each));
  current = games.indexOf(next);
  changed();
}

function personPlays(cell: number): void {
  if (!isPersonsTurn()) return announce(isOver(state()) ? "The game is over." : "It is not your turn.");
  if (state().cells[cell] !== 0) return announce(`${cellName(game().board, cell)} is taken.`);
  makeMove(cell);
}

function makeMove(cell: number): void {
  const mover = seatName(game(), state().toMove);
  replaceGame(withMove(game(), cell));
  const [first, second] = scores(state());
  const tail = isOver(state()) ? `${status()}.` : `${seatName(game(), 0)} ${first}, ${seatName(game(), 1)} ${second}.`;
  announce(`${mover}: ${cellName(game().board, cell)}. ${tail}`);
}

async function opponentPlays(): Promise<void> {
  const player = game().players[state().toMove];
  const atEnd = game().shown === game().moves.length;
  if (isOver(state()) || player === HUMAN || paused || !atEnd || !canGoOn() || tiers.length === 0) return;
  thinking = true;
  const asked = turn;
  const breath = new Promise((resolve) => setTimeout(resolve, PACE));
  try {
    const [chosen] = await Promise.all([engine.choose(state(), player, moveSeed(game(), game().shown)), breath]);
    if (asked === turn) makeMove(chosen.cell);
  } catch (error) {
    if (asked === turn) fail(error);
  }
}

function step(direction: -1 | 1): void {
  const ply = stepTo(game(), direction);
  if (ply === undefined) return;
  paused = !game().players.includes(HUMAN);
  replaceGame({ ...game(), shown: ply });
  announce(`${direction < 0 ? "Taken back" : "Made again"}. ${status()}`);
}

function togglePause(): void {
  if (game().players.includes(HUMAN) || isOver(state())) return;
  paused = !paused;
  // Going on from a position that was stepped back to.
  if (!paused && game().shown < game().moves.length) replaceGame({ ...game(), moves: game().moves.slice(0, game().shown) });
  else changed();
  announce(paused ? "Paused." : "Going on.");
}

function toggleHeat(): void {
  heatIsOn = !heatIsOn;
  render();
  announce(heatIsOn ? "Heat map on." : "Heat map off.");
}

/** Which position is thought about, and by whom. */
function subject(): { readonly ply: number; readonly tier: string } | undefined {
  const { players, shown } = game();
  if (view === "last") {
    for (let ply = shown - 1; ply >= 0; ply--) {
      const player = players[seatAt(game(), ply)];
      if (player !== HUMAN) return { ply, tier: player };
    }
    return undefined;
  }
  if (isOver(state())) return undefined;
  const toMove = players[state().toMove];
  const other = players[1 - state().toMove]!;
  return { ply: shown, tier: toMove !== HUMAN ? toMove : other !== HUMAN ? other : ADVISER };
}

async function think(about: { readonly ply: number; readonly tier: string }, key: string): Promise<void> {
  const { board: size } = game();
  try {
    const chosen: ChosenMove = await engine.choose(positionAt(game(), about.ply), about.tier, moveSeed(game(), about.ply));
    thought = { key, value: { tier: about.tier, board: size, chosen } };
    render();
  } catch (error) {
    fail(error);
  }
}

function render(): void {
  const about = heatIsOn && tiers.length > 0 ? subject() : undefined;
  const isKnown = about !== undefined && tiers.includes(about.tier);
  const key = isKnown ? [turn, view, about.ply, about.tier].join() : "";
  const shownThought = thought?.key === key ? thought.value : undefined;
  if (isKnown && thought?.key !== key) void think(about, key);
  const heat: Heat | undefined = shownThought && { scores: shownThought.chosen.scores, choice: shownThought.chosen.cell };
  board.update({ state: state(), last: game().moves[game().shown - 1], open: isPersonsTurn(), heat });
  showPlayers({ game: game(), state: state(), thinking, standIn });
  const line = byId("status");
  line.textContent = status();
  line.classList.toggle("over", isOver(state()));
  showControls();
  showThoughts(shownThought, whyNoThought(about, isKnown));
  byId("thoughts-title").textContent = about === undefined ? "What it thinks" : `What ${titleOf(about.tier)} thinks`;
  showGames(games, current, (index) => open(games, index));
  showMoves(game());
  showNotice();
}

function showControls(): void {
  const watches = !game().players.includes(HUMAN);
  byId<HTMLButtonElement>("undo").disabled = stepTo(game(), -1) === undefined;
  byId<HTMLButtonElement>("redo").disabled = stepTo(game(), 1) === undefined;
  byId<HTMLButtonElement>("export").disabled = played().length === 0;
  const pause = byId<HTMLButtonElement>("pause");
  pause.hidden = !watches || isOver(state()) || !canGoOn();
  pause.classList.toggle("paused", paused);
  pause.querySelector("span")!.textContent = paused ? "Go on" : "Pause";
  byId("heat").setAttribute("aria-pressed", String(heatIsOn));
  for (const button of document.querySelectorAll<HTMLElement>("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset["view"] === view));
  }
}

function whyNoThought(about: ReturnType<typeof subject>, isKnown: boolean): string {
  if (!heatIsOn) return "Switch on the heat map to see how an opponent scores every cell.";
  if (about !== undefined && !isKnown && tiers.length > 0) return `This page has no opponent named ${about.tier}.`;
  if (about !== undefined) return "…";
  return view === "last" ? "No opponent has moved yet." : "The game is over.";
}

/** Elite without its network is played by another tier, and the player is told. */
function standIn(seat: Player): string | undefined {
  return notice !== undefined && game().players[seat] === "elite" ? "fallback" : undefined;
}

function showNotice(): void {
  if (broken) return;
  const isUsed = game().players.includes("elite");
  const alert = byId("alert");
  const text = isUsed ? (notice ?? "") : "";
  if (alert.textContent !== text) alert.textContent = text;
  alert.hidden = text === "";
}

let broken = false;

function fail(error: unknown): void {
  broken = true;
  thinking = false;
  const alert = byId("alert");
  alert.textContent = `The opponents cannot play: ${error instanceof Error ? error.message : String(error)}`;
  alert.hidden = false;
}

function announce(text: string): void {
  byId("live").textContent = text;
}

async function importFile(): Promise<void> {
  const input = byId<HTMLInputElement>("file");
  const alert = byId("file-alert");
  const [file] = input.files ?? [];
  input.value = "";
  if (file === undefined) return;
  try {
    const found = await read(file);
    alert.hidden = true;
    const kept = played();
    open([...kept, ...found], kept.length);
    announce(`${found.length === 1 ? "1 game" : `${found.length} games`} imported.`);
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    alert.textContent = error.message;
    alert.hidden = false;
  }
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || byId<HTMLDialogElement>("setup").open) return;
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
  if (event.key.startsWith("Arrow") && event.target === document.body) {
    event.preventDefault();
    return board.focus();
  }
  const action = { u: () => step(-1), r: () => step(1), h: toggleHeat, n: () => setup.open(choices), p: togglePause }[
    event.key.toLowerCase()
  ];
  if (action === undefined) return;
  event.preventDefault();
  action();
}

function showLegend(): void {
  for (const lines of [0, 1, 2, 3, 4]) {
    const axes = [true, true, true, true].map((_, index) => index < lines);
    const item = html("li", {}, html("span", { class: "avatar coral" }, nucleus(axes)), String(pointsOf(axes)));
    byId("legend").append(item);
  }
}

byId("undo").addEventListener("click", () => step(-1));
byId("redo").addEventListener("click", () => step(1));
byId("pause").addEventListener("click", togglePause);
byId("heat").addEventListener("click", toggleHeat);
byId("new").addEventListener("click", () => setup.open(choices));
byId("import").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", () => void importFile());
byId("export").addEventListener("click", () => download(played()));
byId("view").addEventListener("click", ({ target }) => {
  const chosen = (target as HTMLElement).dataset["view"];
  if (chosen !== "next" && chosen !== "last") return;
  view = chosen;
  render();
});
document.addEventListener("keydown", onKey);

showLegend();
render();
engine.ready
  .then((ready) => {
    ({ tiers, notice } = ready);
    changed();
  })
  .catch(fail);
