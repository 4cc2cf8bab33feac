/** The board: bodies of the stones as one soft picture per colour, and over it a grid of buttons. */

import { legalMoves, play, scores, type State } from "../../src/index.js";
import { html, svg } from "./elements.js";
import { cellName, COLOURS, points, shortNumber } from "./names.js";
import { activeAxes, neighboursAhead, nucleus, pointsOf } from "./stone.js";

/** What an opponent thinks of the empty cells. */
export interface Heat {
  readonly scores: ReadonlyMap<number, number>;
  readonly choice: number;
}

export interface BoardPicture {
  readonly state: State;
  /** The cell that was played last. */
  readonly last: number | undefined;
  /** Whether a person may play now. */
  readonly open: boolean;
  readonly heat: Heat | undefined;
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

export class BoardView {
  readonly #root: HTMLElement;
  readonly #onPlay: (cell: number) => void;
  #cells: HTMLButtonElement[] = [];
  #bodies: [SVGGElement, SVGGElement] = [svg("g"), svg("g")];
  #drawn = new Set<string>();
  #picture: BoardPicture | undefined;
  #current = 0;

  constructor(root: HTMLElement, onPlay: (cell: number) => void) {
    this.#root = root;
    this.#onPlay = onPlay;
    root.addEventListener("keydown", (event) => this.#move(event));
  }

  update(picture: BoardPicture): void {
    const before = this.#picture;
    this.#picture = picture;
    if (before?.state.board !== picture.state.board) this.#build(picture.state.board);
    this.#drawBodies(picture.state);
    this.#root.classList.toggle("open", picture.open);
    this.#root.classList.toggle("heated", picture.heat !== undefined);
    this.#root.dataset["turn"] = COLOURS[picture.state.toMove].toLowerCase();
    const scale = picture.heat && scaleOf(picture.heat);
    this.#cells.forEach((button, cell) => this.#drawCell(button, cell, picture, scale));
  }

  /** Put the keyboard on the board. */
  focus(): void {
    this.#cells[this.#current]?.focus();
  }

  #build(board: number): void {
    const size = 100 * board;
    this.#drawn.clear();
    this.#current = Math.floor(board / 2) * board + Math.floor(board / 2);
    const [coral, azure] = COLOURS.map((name) => svg("g", { class: name.toLowerCase(), filter: "url(#membrane)" }));
    this.#bodies = [coral!, azure!];
    const picture = svg("svg", { class: "bodies", viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" });
    picture.append(membrane(), ...this.#bodies);
    this.#cells = Array.from({ length: board * board }, (_, cell) => this.#button(cell));
    const grid = html("div", { class: "cells", role: "grid", "aria-label": `Board, ${board} by ${board}` });
    for (let row = 0; row < board; row++) {
      grid.append(html("div", { role: "row" }, ...this.#cells.slice(row * board, (row + 1) * board)));
    }
    this.#root.style.setProperty("--board", String(board));
    const tiles = html("div", { class: "tiles", "aria-hidden": "true" });
    for (let cell = 0; cell < board * board; cell++) tiles.append(html("span"));
    const edge = (className: string, name: (index: number) => string): HTMLElement =>
      html("div", { class: className, "aria-hidden": "true" }, ...Array.from({ length: board }, (_, index) => html("span", {}, name(index))));
    this.#root.replaceChildren(
      edge("columns", (index) => cellName(board, index)[0]!),
      edge("rows", (index) => String(index + 1)),
      html("div", { class: "dish" }, tiles, picture, grid),
    );
  }

  #button(cell: number): HTMLButtonElement {
    const button = html("button", { type: "button", role: "gridcell", "data-cell": String(cell) });
    button.addEventListener("click", () => {
      this.#current = cell;
      this.#onPlay(cell);
    });
    button.addEventListener("focus", () => {
      this.#current = cell;
      this.#cells.forEach((each, index) => (each.tabIndex = index === cell ? 0 : -1));
      if (button.matches(":focus-visible")) this.#preview(button, cell);
    });
    button.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "touch") this.#preview(button, cell);
    });
    const clear = (): void => button.querySelector(".ghost")?.remove();
    button.addEventListener("blur", clear);
    button.addEventListener("pointerleave", clear);
    return button;
  }

  /** What a stone here would be worth: its own tips, and all points gained with those of its neighbours. */
  #preview(button: HTMLButtonElement, cell: number): void {
    const picture = this.#picture;
    if (picture === undefined || !picture.open || picture.state.cells[cell] !== 0) return;
    const { state } = picture;
    const gain = scores(play(state, cell))[state.toMove] - scores(state)[state.toMove];
    button.querySelector(".ghost")?.remove();
    const ghost = html("span", { class: `ghost ${COLOURS[state.toMove].toLowerCase()}`, "aria-hidden": "true" });
    ghost.append(nucleus(activeAxes(state, cell, 1 + state.toMove)), html("span", { class: "gain" }, `+${gain}`));
    button.append(ghost);
  }

  #drawCell(button: HTMLButtonElement, cell: number, picture: BoardPicture, scale: Scale | undefined): void {
    const { state, last, open, heat } = picture;
    const what = state.cells[cell]!;
    const axes = what === 1 || what === 2 ? activeAxes(state, cell, what) : undefined;
    const score = heat?.scores.get(cell);
    const choice = heat?.choice === cell;
    const look = [what, axes?.join(), cell === last, open, score, choice, state.toMove].join("|");
    button.tabIndex = cell === this.#current ? 0 : -1;
    if (button.dataset["look"] === look) return;
    button.dataset["look"] = look;
    button.className = ["empty", "coral", "azure", "blocked"][what]!;
    button.classList.toggle("last", cell === last);
    button.classList.toggle("choice", choice);
    button.setAttribute("aria-disabled", String(!open || what !== 0));
    button.setAttribute("aria-label", label(picture, cell, axes));
    button.replaceChildren();
    const tile = this.#root.querySelectorAll<HTMLElement>(".tiles span")[cell]!;
    tile.className = what === 3 ? "blocked" : "";
    tile.style.setProperty("--heat", score === undefined || scale === undefined ? "0" : String(scale(score)));
    if (axes !== undefined) button.append(nucleus(axes));
    else if (what === 0 && score !== undefined) button.append(html("span", { class: "score" }, shortNumber(score)));
    if (button === document.activeElement && button.matches(":focus-visible")) this.#preview(button, cell);
  }

  /** Bodies and bridges; those that stay keep their elements, so that only new ones grow. */
  #drawBodies(state: State): void {
    const wanted = new Set<string>();
    const centre = (cell: number): [number, number] => [
      100 * (cell % state.board) + 50,
      100 * Math.floor(cell / state.board) + 50,
    ];
    state.cells.forEach((what, cell) => {
      if (what !== 1 && what !== 2) return;
      const [x, y] = centre(cell);
      this.#keep(wanted, what, `${what}:${cell}`, () => svg("circle", { cx: x, cy: y, r: 40 }));
      for (const other of neighboursAhead(state, cell)) {
        const [toX, toY] = centre(other);
        const width = x === toX || y === toY ? 34 : 20;
        this.#keep(wanted, what, `${what}:${cell}-${other}`, () =>
          svg("line", { x1: x, y1: y, x2: toX, y2: toY, "stroke-width": width }),
        );
      }
    });
    for (const key of this.#drawn) {
      if (wanted.has(key)) continue;
      this.#root.querySelector(`.bodies [data-key="${key}"]`)?.remove();
    }
    this.#drawn = wanted;
  }

  #keep(wanted: Set<string>, what: number, key: string, make: () => SVGElement): void {
    wanted.add(key);
    if (this.#drawn.has(key)) return;
    const element = make();
    element.dataset["key"] = key;
    this.#bodies[what - 1]!.append(element);
  }

  #move(event: KeyboardEvent): void {
    const board = this.#picture?.state.board ?? 0;
    const step = MOVES[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const row = Math.min(board - 1, Math.max(0, Math.floor(this.#current / board) + step[0]));
    const column = Math.min(board - 1, Math.max(0, (this.#current % board) + step[1]));
    this.#current = row * board + column;
    this.focus();
  }
}

type Scale = (score: number) => number;

/** Scores to 0 .. 1, worst to best; a little steeper at the top, where the choice is made. */
function scaleOf(heat: Heat): Scale {
  const all = [...heat.scores.values()];
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return (score) => (most === least ? 1 : ((score - least) / (most - least)) ** 1.6);
}

function label(picture: BoardPicture, cell: number, axes: readonly boolean[] | undefined): string {
  const { state, last, heat } = picture;
  const name = cellName(state.board, cell);
  const what = state.cells[cell]!;
  if (what === 3) return `${name}, blocked`;
  if (axes !== undefined) {
    return `${name}, ${COLOURS[what - 1]}, ${points(pointsOf(axes))}${cell === last ? ", last move" : ""}`;
  }
  const score = heat?.scores.get(cell);
  return `${name}, empty${score === undefined ? "" : `, score ${shortNumber(score)}`}`;
}

/** Blurred, then cut off where it fades: stones that touch flow into one another. */
function membrane(): SVGDefsElement {
  const filter = svg("filter", { id: "membrane", x: 0, y: 0, width: 1, height: 1, "color-interpolation-filters": "sRGB" });
  filter.append(
    svg("feGaussianBlur", { in: "SourceGraphic", stdDeviation: 6 }),
    svg("feColorMatrix", { values: "1 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 16 -7" }),
  );
  return svg("defs", {}, filter);
}

/** How many cells may still be played on. */
export function cellsLeft(state: State): number {
  return legalMoves(state).length;
}
