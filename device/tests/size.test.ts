/** What an app downloads, and what a move costs it. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { build } from "vite";

import { chooseMove, loadOpponents, newGame } from "../src/index.js";
import { pack } from "./packed.js";
import { DEVICE, golden, int8Model, tiersText } from "./release.js";

const KILOBYTE = 1000;

test("the packed package, model and tiers are under 150 kB compressed", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pocketzero-size-"));
  try {
    const archive = readFileSync(pack(folder)); // of npm, which compresses it: dist, README.md, package.json
    const content = gunzipSync(archive).toString("latin1");
    for (const name of ["dist/index.js", "dist/index.d.ts", "README.md", "package.json"]) {
      expect(content).toContain(`package/${name}`);
    }
    holds({ package: archive.length, ...files() });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("and so they are as a bundler ships them", async () => {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    build: { write: false, lib: { entry: path.join(DEVICE, "src/index.ts"), formats: ["es"] }, minify: true },
  });
  const bundles = Array.isArray(built) ? built : [built];
  const code = bundles
    .flatMap((each) => ("output" in each ? each.output : []))
    .map((each) => ("code" in each ? each.code : ""));
  holds({ code: gzipSync(code.join("")).length, ...files() });
});

function files(): Record<string, number> {
  return { "elite.int8.onnx": gzipSync(int8Model()).length, "tiers.json": gzipSync(tiersText()).length };
}

function holds(sizes: Record<string, number>): void {
  console.info("compressed bytes:", sizes);
  const found = Object.values(sizes);
  expect(Math.min(...found)).toBeGreaterThan(KILOBYTE);
  expect(found.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * KILOBYTE);
}

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
