/** What an app downloads, and what a move costs it. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { build } from "vite";

import { chooseMove, loadOpponents, newGame } from "../src/index.js";
import { DEVICE, golden, int8Model, tiersText } from "./release.js";

const KILOBYTE = 1000;

test("code, model and tiers are under 150 kB compressed", async () => {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry: path.join(DEVICE, "src/index.ts"), formats: ["es"] }, minify: true },
  });
  const bundles = Array.isArray(built) ? built : [built];
  const code = bundles
    .flatMap((each) => ("output" in each ? each.output : []))
    .map((each) => ("code" in each ? each.code : ""));
  const sizes = {
    code: gzipSync(code.join("")).length,
    "elite.int8.onnx": gzipSync(int8Model()).length,
    "tiers.json": gzipSync(tiersText()).length,
  };
  console.info("compressed bytes:", sizes);
  expect(sizes.code).toBeGreaterThan(KILOBYTE);
  expect(Object.values(sizes).reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * KILOBYTE);
});

test("the core depends on no other package", () => {
  const content = JSON.parse(readFileSync(path.join(DEVICE, "package.json"), "utf8")) as Record<string, unknown>;
  expect(content["dependencies"]).toBeUndefined();
});

test("a move on the largest board takes less than 8 ms, median, whatever the tier", () => {
  const opponents = loadOpponents({ tiers: tiersText(), int8Model: int8Model() });
  const states = golden()
    .filter(({ board, moves }) => board === 8 && moves.length > 0)
    .slice(0, 100)
    .map(({ board, cells }) => newGame(board, cells));
  for (const tier of opponents.tiers.keys()) {
    const spent = states.map((state) => {
      const start = performance.now();
      chooseMove(opponents, state, tier, 1n);
      return performance.now() - start;
    });
    expect(spent.sort((a, b) => a - b)[spent.length >> 1], tier).toBeLessThan(8);
  }
});
