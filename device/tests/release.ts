/** The files that ship, and the answers that they came with. POCKETZERO_RELEASE names another folder than models/release. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const DEVICE = fileURLToPath(new URL("../", import.meta.url));
export const RELEASE = process.env["POCKETZERO_RELEASE"] ?? path.join(DEVICE, "../models/release");

/** A line of golden.jsonl. */
export interface Golden {
  board: number;
  cells: number[];
  to_move: number;
  moves: number[];
  features?: number[][];
  scores: Record<string, number[]>;
  sampled: { seed: string; move: number };
  logits: number[];
  int8_logits: number[];
}

export const tiersText = (): string => readFileSync(path.join(RELEASE, "tiers.json"), "utf8");
export const int8Model = (): Uint8Array => new Uint8Array(readFileSync(path.join(RELEASE, "elite.int8.onnx")));
export const floatModel = (): Uint8Array => new Uint8Array(readFileSync(path.join(RELEASE, "elite.onnx")));
export const golden = (): Golden[] => readLines(path.join(RELEASE, "golden.jsonl"));

function readLines(file: string): Golden[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Golden);
}
