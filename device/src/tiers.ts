/** tiers.json: every opponent as data. A file is checked as a whole before anything is played with it. */

import { BadModel } from "./bad_model.js";
import { DENOMINATORS, FEATURES, WEIGHED } from "./features.js";

export const SCHEMA = 2;
export const GAME = "cell_division";

/** How a tier picks among scored cells. */
export interface Choice {
  /** argmax: the best score, of equal ones the lowest cell. sample: drawn from the softmax. */
  readonly choice: "argmax" | "sample";
  /** Of the softmax; above 0 where choice is sample. */
  readonly temperature: number;
  /** With sample: only cells that score at least the best minus this take part; 0: all. */
  readonly within: number;
}

/** A tier as it plays; weights are final, blends are mixed already. */
export type Tier = Choice &
  (
    | { readonly kind: "linear"; readonly weights: Float64Array }
    | { readonly kind: "switching"; readonly early: Float64Array; readonly late: Float64Array }
    | { readonly kind: "network"; readonly model: string; readonly int8Model: string }
    | { readonly kind: "random" }
  );

const VECTORS: Readonly<Record<Tier["kind"], readonly string[]>> = {
  linear: ["weights"],
  switching: ["early", "late"],
  network: [],
  random: [],
};
const FILE = "tiers.json";

/**
 * The tiers of the text of a tiers.json, by name.
 *
 * @throws BadModel naming the key, its value and what would be right.
 */
export function readTiers(text: string): ReadonlyMap<string, Tier> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw new BadModel(FILE, `it is not JSON (${String(error)}); pass the text of the file that came with the model`);
  }
  const top = members("", content, ["schema", "game", "features", "denominators", "tiers"]);
  if (top["schema"] !== SCHEMA) refuse("schema", top["schema"], `${SCHEMA}, the one that this package reads`);
  if (top["game"] !== GAME) refuse("game", top["game"], `"${GAME}", the only game that this package plays`);
  for (const [key, wanted] of [
    ["features", FEATURES],
    ["denominators", DENOMINATORS],
  ] as const) {
    if (JSON.stringify(top[key]) !== JSON.stringify(wanted)) {
      refuse(key, top[key], `that of this package: ${JSON.stringify(wanted)}`);
    }
  }
  const tiers = top["tiers"];
  if (!isObject(tiers) || Object.keys(tiers).length === 0) refuse("tiers", tiers, "an object with one member a tier");
  return new Map(Object.entries(tiers).map(([name, value]) => [name, readTier(`tiers.${name}`, value)]));
}

function readTier(key: string, value: unknown): Tier {
  const kind = isObject(value) ? value["kind"] : undefined;
  if (!isKind(kind)) refuse(`${key}.kind`, kind, "one of " + Object.keys(VECTORS).join(", "));
  const models = kind === "network" ? ["model", "int8_model"] : [];
  const tier = members(key, value, ["kind", ...VECTORS[kind], ...models, "choice", "temperature", "within", "recipe"]);
  const { choice, temperature, within, recipe } = tier;
  if (choice !== "argmax" && choice !== "sample") refuse(`${key}.choice`, choice, "argmax or sample");
  if (!isAmount(temperature)) refuse(`${key}.temperature`, temperature, "a number of at least 0");
  if (!isAmount(within)) refuse(`${key}.within`, within, "a number of at least 0");
  if (choice === "sample" && temperature === 0) {
    refuse(`${key}.temperature`, temperature, "above 0 where choice is sample");
  }
  if (!isObject(recipe)) refuse(`${key}.recipe`, recipe, "an object: the settings that the tier came from");
  const how: Choice = { choice, temperature, within };
  const vector = (name: string): Float64Array => numbers(`${key}.${name}`, tier[name]);
  const file = (name: string): string => fileName(`${key}.${name}`, tier[name]);
  switch (kind) {
    case "linear":
      return { kind, ...how, weights: vector("weights") };
    case "switching":
      return { kind, ...how, early: vector("early"), late: vector("late") };
    case "network":
      return { kind, ...how, model: file("model"), int8Model: file("int8_model") };
    case "random":
      return { kind, ...how };
  }
}

function members(key: string, value: unknown, names: readonly string[]): Record<string, unknown> {
  if (!isObject(value)) refuse(key || "the content", value, "an object with " + names.join(", "));
  const path = (name: string): string => (key ? `${key}.${name}` : name);
  for (const name of names) if (!(name in value)) refuse(path(name), undefined, "there");
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) refuse(path(name), value[name], "left out: known are " + names.join(", "));
  }
  return value;
}

function numbers(key: string, value: unknown): Float64Array {
  if (!Array.isArray(value) || value.length !== WEIGHED || !value.every((each) => Number.isFinite(each))) {
    refuse(key, value, `a list of ${WEIGHED} finite numbers`);
  }
  return Float64Array.from(value as number[]);
}

function fileName(key: string, value: unknown): string {
  if (typeof value !== "string" || !value.endsWith(".onnx")) refuse(key, value, "the name of an .onnx file");
  return value;
}

function isKind(value: unknown): value is Tier["kind"] {
  return typeof value === "string" && Object.hasOwn(VECTORS, value);
}

function isAmount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(key: string, value: unknown, wanted: string): never {
  const found = value === undefined ? "missing" : (JSON.stringify(value) ?? String(value));
  const shown = found.length > 80 ? found.slice(0, 77) + "..." : found;
  throw new BadModel(FILE, `${key} is ${shown}; it should be ${wanted}`);
}
