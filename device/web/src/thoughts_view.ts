/** What an opponent thinks of a position: best cells, and how open its choice is. */

import type { ChosenMove } from "../../src/index.js";
import { byId, html } from "./elements.js";
import { cellName, shortNumber, titleOf } from "./names.js";

const LISTED = 5;

export interface Thought {
  readonly tier: string;
  readonly board: number;
  readonly chosen: ChosenMove;
}

/** @param thought undefined: `reason` says why there is none. */
export function showThoughts(thought: Thought | undefined, reason: string): void {
  const root = byId("thoughts");
  if (thought === undefined) {
    root.replaceChildren(html("p", { class: "quiet" }, reason));
    return;
  }
  const { chosen, board, tier } = thought;
  const best = [...chosen.scores].sort(([a, x], [b, y]) => y - x || a - b);
  const list = html("ol", { class: "best" });
  const [most, least] = [best[0]![1], best.at(-1)![1]];
  const shown = best.slice(0, LISTED);
  if (!shown.some(([cell]) => cell === chosen.cell)) shown.push([chosen.cell, chosen.scores.get(chosen.cell)!]);
  for (const [cell, score] of shown) {
    const bar = html("i");
    bar.style.setProperty("--share", String(most === least ? 1 : (score - least) / (most - least)));
    const row = html("li", {}, html("b", {}, cellName(board, cell)), bar, html("span", {}, shortNumber(score)));
    row.classList.toggle("choice", cell === chosen.cell);
    list.append(row);
  }
  const cells = chosen.scores.size;
  const meter = html("div", { class: "meter", "aria-hidden": "true" }, html("i"));
  meter.style.setProperty("--share", String(cells > 1 ? chosen.entropy / Math.log(cells) : 0));
  root.replaceChildren(
    list,
    html(
      "div",
      { class: "entropy" },
      html("span", {}, "Entropy of the choice"),
      html("b", { id: "entropy" }, `${chosen.entropy.toFixed(2)} nats`),
      meter,
      html("small", {}, explain(titleOf(tier), chosen.entropy, cells)),
    ),
  );
}

function explain(name: string, entropy: number, cells: number): string {
  if (cells === 1) return "Only one cell is left.";
  if (entropy === 0) return `${name} always plays the cell that it scores highest.`;
  const open = Math.max(1, Math.round(Math.exp(entropy)));
  return `${name} draws: as open as a fair draw among ${open} of ${cells} cells.`;
}
