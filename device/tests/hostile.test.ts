/**
 * Hostile files: whatever its bytes are, a file is refused with this package's own error, or read and then played with.
 *
 * 300 edits a reader; POCKETZERO_HOSTILE=3000 tries more.
 */

import { describe, expect, test } from "vitest";

import {
  BadGame,
  BadModel,
  chooseMove,
  exportGame,
  importGames,
  IntegerNetwork,
  legalMoves,
  loadOpponents,
  newGame,
  play,
  replay,
  SplitMix64,
  type GameRecord,
  type Opponents,
} from "../src/index.js";
import { readFields, type Field } from "../src/protobuf.js";
import { bytesOf, encode } from "./onnx_edits.js";
import { int8Model, tiersText } from "./release.js";

const EDITS = Number(process.env["POCKETZERO_HOSTILE"] ?? 300);
const MILLISECONDS = 5000; // a read takes a few; more on a busy machine
const LONGEST_MESSAGE = 4000;

class Dice {
  readonly #random: SplitMix64;
  constructor(seed: number) {
    this.#random = new SplitMix64(BigInt(seed));
  }
  below(count: number): number {
    return Math.floor(this.#random.uniform() * count);
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)]!;
  }
}

/** One to three edits of bytes at random places. */
function changedBytes(good: Uint8Array, dice: Dice): Uint8Array {
  let bytes = Array.from(good);
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const at = dice.below(bytes.length + 1);
    const end = at + 1 + dice.below(64);
    switch (dice.below(7)) {
      case 0:
        if (at < bytes.length) bytes[at]! ^= 1 << dice.below(8);
        break;
      case 1:
        if (at < bytes.length) bytes[at] = dice.below(256);
        break;
      case 2:
        bytes = bytes.slice(0, at);
        break;
      case 3:
        bytes.splice(at, end - at);
        break;
      case 4:
        bytes.splice(at, 0, ...Array.from({ length: 1 + dice.below(16) }, () => dice.below(256)));
        break;
      case 5: {
        const from = dice.below(bytes.length + 1);
        bytes.splice(at, end - at, ...bytes.slice(from, from + dice.below(200)));
        break;
      }
      default:
        bytes.splice(at, 8, ...dice.pick([Array<number>(8).fill(255), Array<number>(8).fill(0), [255, 255, 255, 127]]));
    }
  }
  return Uint8Array.from(bytes);
}

const WHOLES = [0, 1, -1, 2, 3, 7, 9, 64, 255, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 53, -(2 ** 31)];
const TEXTS = ["", "x", "board", "policy", "axis", "Conv", "Gemm", "Relu", "__proto__", "x".repeat(9999)];

/** One field of the message, at any depth, set to something else, taken away, doubled, or put in another's place. */
function changedField(message: Uint8Array, dice: Dice, depth = 0): Uint8Array {
  const fields = readFields(message);
  if (fields.length === 0) return Uint8Array.of(8, 1);
  const at = dice.below(fields.length);
  const { number, value } = fields[at]!;
  const inner = typeof value === "number" ? undefined : fieldsOf(value);
  let now: Field[];
  if (typeof value !== "number" && inner !== undefined && inner.length > 0 && depth < 6 && dice.below(8) > 0) {
    now = [{ number, value: changedField(value, dice, depth + 1) }];
  } else {
    const whole = dice.pick(WHOLES);
    const other = fields[dice.below(fields.length)]!;
    now = dice.pick<() => Field[]>([
      () => [{ number, value: typeof value === "number" ? whole : bytesOf(dice.pick(TEXTS)) }],
      () => [{ number, value: typeof value === "number" ? bytesOf("x") : whole }],
      () => [{ number, value: typeof value === "number" ? whole : value.slice(0, dice.below(value.length + 1)) }],
      () => [{ number: 1 + dice.below(16), value }],
      () => [{ number, value: other.value }],
      () => [fields[at]!, fields[at]!],
      () => [],
    ])();
  }
  return encode([...fields.slice(0, at), ...now, ...fields.slice(at + 1)]);
}

function fieldsOf(bytes: Uint8Array): Field[] | undefined {
  try {
    return readFields(bytes);
  } catch {
    return undefined;
  }
}

const VALUES = [
  "null",
  "true",
  "0",
  "-1",
  "0.5",
  "1e400",
  "-1e400",
  "1.7e308",
  "9".repeat(400),
  "[]",
  "{}",
  '""',
  "[0]",
]
  .concat(['"x"', '"\\ud800"', '"__proto__"', '"constructor"', '{"toString":1}', '{"__proto__":{"kind":"random"}}'])
  .concat([
    "[".repeat(100_000),
    '{"a":'.repeat(100_000),
    "[".repeat(3000) + "]".repeat(3000),
    "NaN",
    "18446744073709551616",
  ])
  .concat([`"${"9".repeat(5000)}"`, `"${"x".repeat(100_000)}"`, '{"length":16}', "1e-320", "-0"]);
const PLACE = "\ue000value"; // in nobody's file
const KEY = "\ue000key";

/** A value replaced, doubled under its key, taken away, or renamed, at any depth. */
function changedJson(text: string, dice: Dice): string {
  const tree: unknown = JSON.parse(text);
  const raw = dice.pick(VALUES);
  let holder = tree;
  let key: string | undefined;
  for (let inner: unknown = tree; typeof inner === "object" && inner !== null && dice.below(5) > 0;) {
    const keys = Object.keys(inner);
    if (keys.length === 0) break;
    holder = inner;
    key = dice.pick(keys);
    inner = (holder as Record<string, unknown>)[key];
  }
  if (key === undefined) return raw;
  const object = holder as Record<string, unknown>;
  switch (Array.isArray(holder) ? 0 : dice.below(8)) {
    case 1:
      delete object[key];
      return JSON.stringify(tree);
    case 2:
      object[KEY] = PLACE;
      return JSON.stringify(tree)
        .replace(JSON.stringify(KEY), () => JSON.stringify(key))
        .replace(JSON.stringify(PLACE), () => raw);
    case 3: {
      const name = raw.slice(0, 200);
      Object.defineProperty(object, name, { value: object[key], enumerable: true, configurable: true });
      delete object[key];
      return JSON.stringify(tree);
    }
    default:
      object[key] = PLACE;
      return JSON.stringify(tree).replace(JSON.stringify(PLACE), () => raw);
  }
}

/** Whether it was read; false where it was refused with one of our errors whose message names the place. */
function attempt(read: () => void, refusal: typeof BadModel | typeof BadGame, place: RegExp): boolean {
  const started = performance.now();
  let was = true;
  try {
    read();
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
    expect(error.message).toMatch(place);
    expect(error.message.length).toBeLessThan(LONGEST_MESSAGE);
    was = false;
  }
  expect(performance.now() - started).toBeLessThan(MILLISECONDS);
  return was;
}

/** Every edit put to a reader; the number that was refused and the number that was read. */
function tryAll(edit: (dice: Dice) => string | Uint8Array, each: (content: never) => boolean): void {
  const counts = { refused: 0, read: 0 };
  for (let number = 0; number < EDITS; number++) {
    const content = edit(new Dice(number));
    try {
      counts[each(content as never) ? "read" : "refused"]++;
    } catch (error) {
      throw new Error(`edit ${number}: ${String(content).slice(0, 300)}`, { cause: error });
    }
  }
  expect(counts.refused).toBeGreaterThan(0);
}

const POSITIONS = [newGame(4), play(play(newGame(5), 12), 7), newGame(8)];

/** Every tier plays a legal move. */
function playOn(opponents: Opponents): void {
  for (const name of opponents.tiers.keys()) {
    for (const state of POSITIONS) {
      expect(legalMoves(state), name).toContain(chooseMove(opponents, state, name, 5n).cell);
    }
  }
}

const whole: GameRecord = {
  board: 4,
  cells: Array<number>(16).fill(0),
  moves: [3, 1, 2, 9, 4, 8, 0],
  players: ["human", "easy"],
  result: null,
  seed: "18446744073709551615",
};
const text = tiersText();
const model = int8Model();
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("elite.int8.onnx", () => {
  const each = (broken: Uint8Array): boolean =>
    attempt(
      () => {
        const logits = new IntegerNetwork(broken).logits(POSITIONS[1]!);
        expect(logits.length).toBe(64);
        expect(logits.every(Number.isFinite)).toBe(true);
      },
      BadModel,
      /^elite\.int8\.onnx: /,
    );

  test("with changed bytes is refused, or plays on", () => tryAll((dice) => changedBytes(model, dice), each));
  test("with a changed field is refused, or plays on", () => tryAll((dice) => changedField(model, dice), each));
});

describe("tiers.json", () => {
  const each = (tiers: string): boolean =>
    attempt(() => playOn(loadOpponents({ tiers, int8Model: model })), BadModel, /^tiers\.json: /);

  test("with changed bytes is refused, or plays on", () =>
    tryAll((dice) => decode(changedBytes(bytesOf(text), dice)), each));
  test("with a changed value is refused, or plays on", () => tryAll((dice) => changedJson(text, dice), each));
});

describe("games", () => {
  const lines = [whole, { ...whole, board: 5, cells: Array<number>(25).fill(0) }].map(exportGame);
  const each = (games: string): boolean =>
    attempt(
      () => {
        for (const game of importGames(games)) {
          const again = importGames(exportGame(game)).map(exportGame);
          expect(again).toEqual([exportGame(game)]);
          const state = replay(game);
          for (const move of legalMoves(state).slice(0, 1)) play(state, move);
        }
      },
      BadGame,
      /^line [1-9][0-9]*[,:] /,
    );

  test("with changed bytes are refused, or read as they stand", () =>
    tryAll((dice) => decode(changedBytes(bytesOf(lines.join("")), dice)), each));
  test("with a changed value are refused, or read as they stand", () =>
    tryAll((dice) => lines[0] + changedJson(lines[1]!, dice), each));
});

describe("a name of a million characters does not fill the message", () => {
  const long = "x".repeat(1_000_000);

  test("of a model", () => {
    const fields = readFields(model).map(({ number, value }) =>
      number === 14
        ? {
            number,
            value: encode([
              { number: 1, value: bytesOf("rules") },
              { number: 2, value: bytesOf(long) },
            ]),
          }
        : { number, value },
    );
    expect(attempt(() => new IntegerNetwork(encode(fields)), BadModel, /metadata "rules" is "xxx.*\.\.\.$/)).toBe(
      false,
    );
  });

  test("of tiers", () => {
    const tiers = JSON.stringify({ ...(JSON.parse(text) as object), [long]: 1 });
    expect(attempt(() => loadOpponents({ tiers }), BadModel, /^tiers\.json: xxx.*\.\.\.$/)).toBe(false);
  });

  test("of a game", () => {
    expect(attempt(() => importGames(`{"${long}":1}`), BadGame, /^line 1: board is missing/)).toBe(false);
    const game = JSON.stringify({ ...(JSON.parse(exportGame(whole)) as object), [long]: 1 });
    expect(attempt(() => importGames(game), BadGame, /^line 1: xxx.*\.\.\.$/)).toBe(false);
  });
});
