/** The dialog in which a new game is made. */

import { BOARDS } from "../../src/index.js";
import { byId, html } from "./elements.js";
import { HUMAN, type Game } from "./game.js";
import { TIERS, titleOf } from "./names.js";
import { opening } from "./opening.js";

const SIDES = ["first", "second", "watch", "both"] as const;

/** What was chosen last; kept between visits. */
export interface Choices {
  readonly opponent: string;
  /** Who plays against the opponent where one only watches. */
  readonly rival: string;
  /** The side that the person takes: none (watch), or both. */
  readonly side: (typeof SIDES)[number];
  readonly board: number;
  readonly seeded: boolean;
}

export const DEFAULTS: Choices = { opponent: "medium", rival: "hard", side: "first", board: 6, seeded: false };

const SEED_BOUND = 2n ** 64n;

/** Choices that were stored by this page or another version of it; anything odd gives way to the default. */
export function readChoices(stored: unknown): Choices {
  const given = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, unknown>;
  const isTier = (value: unknown): value is string => TIERS.some((tier) => tier.name === value);
  const side = SIDES.find((each) => each === given["side"]);
  return {
    opponent: isTier(given["opponent"]) ? given["opponent"] : DEFAULTS.opponent,
    rival: isTier(given["rival"]) ? given["rival"] : DEFAULTS.rival,
    side: side ?? DEFAULTS.side,
    board: BOARDS.find((board) => board === given["board"]) ?? DEFAULTS.board,
    seeded: given["seeded"] === true,
  };
}

/** A game by these choices; without a seed, a random one. */
export function makeGame(choices: Choices, seed: bigint = randomSeed()): Game {
  const { board, seeded, opponent, rival, side } = choices;
  const players = {
    first: [HUMAN, opponent],
    second: [opponent, HUMAN],
    watch: [rival, opponent],
    both: [HUMAN, HUMAN],
  } satisfies Record<Choices["side"], [string, string]>;
  const cells = [...opening(board, seeded ? seed : 0n)];
  return { board, cells, players: players[side], seed, moves: [], shown: 0 };
}

function randomSeed(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!;
}

export class Setup {
  readonly #dialog = byId<HTMLDialogElement>("setup");
  readonly #form = byId<HTMLFormElement>("setup-form");
  readonly #seed = byId<HTMLInputElement>("seed");
  readonly #onStart: (choices: Choices, game: Game) => void;

  constructor(onStart: (choices: Choices, game: Game) => void) {
    this.#onStart = onStart;
    const radio = (name: string, value: string): HTMLInputElement => html("input", { type: "radio", name, value });
    byId("opponents").append(
      ...TIERS.map(({ name, title, about }) =>
        html(
          "label",
          { class: "card" },
          radio("opponent", name),
          html("span", {}, html("b", {}, title), html("small", {}, about)),
        ),
      ),
    );
    byId("rival").append(...TIERS.map(({ name }) => html("option", { value: name }, titleOf(name))));
    byId("sizes").append(
      ...BOARDS.map((board) =>
        html("label", {}, radio("board", String(board)), html("span", {}, `${board} × ${board}`)),
      ),
    );
    byId("cancel").addEventListener("click", () => this.#dialog.close());
    byId("shuffle").addEventListener("click", () => {
      this.#seed.value = smallSeed();
      this.#refresh();
    });
    this.#form.addEventListener("input", () => this.#refresh());
    this.#form.addEventListener("submit", (event) => this.#start(event));
  }

  open(choices: Choices): void {
    const set = (name: string, value: string): void => {
      for (const input of this.#radios(name)) input.checked = input.value === value;
    };
    set("opponent", choices.opponent);
    set("side", choices.side);
    set("board", String(choices.board));
    set("start", choices.seeded ? "seeded" : "empty");
    byId<HTMLSelectElement>("rival").value = choices.rival;
    this.#seed.value = smallSeed();
    this.#refresh();
    this.#dialog.showModal();
    this.#radios("opponent")
      .find((input) => input.checked)
      ?.focus();
  }

  #radios(name: string): HTMLInputElement[] {
    return [...this.#form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)];
  }

  #choices(): Choices {
    const value = (name: string): string => this.#radios(name).find((input) => input.checked)?.value ?? "";
    return readChoices({
      opponent: value("opponent"),
      rival: byId<HTMLSelectElement>("rival").value,
      side: value("side"),
      board: Number(value("board")),
      seeded: value("start") === "seeded",
    });
  }

  /** The seed that stands in the field, or undefined where it is none. */
  #seedGiven(): bigint | undefined {
    const text = this.#seed.value.trim();
    if (!/^[0-9]{1,20}$/.test(text)) return undefined;
    const seed = BigInt(text);
    return seed > 0n && seed < SEED_BOUND ? seed : undefined;
  }

  #refresh(): void {
    const choices = this.#choices();
    byId("against").hidden = choices.side !== "watch";
    byId("opponents").classList.toggle("unused", choices.side === "both");
    byId("seed-line").hidden = !choices.seeded;
    const seed = this.#seedGiven();
    const isWrong = choices.seeded && seed === undefined;
    const error = byId("seed-error");
    error.hidden = !isWrong;
    error.textContent = isWrong ? "A seed is a whole number from 1 to 18446744073709551615." : "";
    this.#seed.setAttribute("aria-invalid", String(isWrong));
    byId<HTMLButtonElement>("begin").disabled = isWrong;
    const cells = opening(choices.board, choices.seeded ? (seed ?? 0n) : 0n);
    const preview = byId("preview");
    preview.style.setProperty("--board", String(choices.board));
    preview.replaceChildren(
      ...Array.from(cells, (what) => html("i", { class: ["", "coral", "azure", "blocked"][what]! })),
    );
  }

  #start(event: SubmitEvent): void {
    event.preventDefault();
    const choices = this.#choices();
    const game = choices.seeded ? makeGame(choices, this.#seedGiven()) : makeGame(choices);
    this.#dialog.close();
    this.#onStart(choices, game);
  }
}

/** A seed that a person can read out to another. */
function smallSeed(): string {
  return String(1 + (crypto.getRandomValues(new Uint32Array(1))[0]! % 999_999));
}
