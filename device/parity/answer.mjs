/**
 * One runtime's answers to positions, for the comparison of runtimes.
 *
 *     node device/parity/answer.mjs --target TARGET --release FOLDER --positions FILE.jsonl --out FILE.jsonl
 *
 * TARGET: typescript (the plain pass in Node), chromium (the plain pass in Chromium), node (onnxruntime-node), wasm
 * (onnxruntime-web in Node), chromium-wasm (onnxruntime-web in Chromium).
 *
 * A line of positions: {"board", "cells", "to_move", "seeds": [decimal strings]}. A line of answers, in the same order:
 * {"features": [[14] a legal cell], "scores": {tier: [a legal cell]}, "sampled": [a cell a seed] or null,
 * "logits": [64] of elite.onnx or null, "int8_logits": [64]}. Then one line
 * {"milliseconds": {name: {"median", "p99"}}, "runtime"}. Without any position it only starts the runtime.
 *
 * Exits with 3 where the runtime is not installed, with 4 where a file is refused; one line on stderr says why.
 */

import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { answerAll, Refused, time } from "./answers.mjs";
import { findChromium, withPage } from "./chromium.mjs";

process.env.ORT_DISABLE_TELEMETRY = "1";

const HOME = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const DIST = path.join(HOME, "dist");
const CHUNK = 200; // positions that go to the page at a time

class Missing extends Error {}

const TARGETS = {
  typescript: () => inNode(undefined, "plain TypeScript"),
  node: () => inNode("onnxruntime-node", "onnxruntime-node"),
  wasm: () => inNode("onnxruntime-web/wasm", "onnxruntime-web"),
  chromium: () => inChromium(false),
  "chromium-wasm": () => inChromium(true),
};

async function main() {
  const options = { target: text(), release: text(), positions: text(), out: text() };
  const values = readArguments(options);
  for (const name of Object.keys(options)) if (values[name] === undefined) throw new Refused(`--${name} is missing`);
  const target = TARGETS[values.target];
  if (target === undefined) {
    throw new Refused(`--target is ${values.target}; it should be one of ${Object.keys(TARGETS).join(", ")}`);
  }
  const [release, positions] = [await readRelease(values.release), await readPositions(values.positions)];
  const run = await target();
  const { answers, milliseconds, runtime } = await run(release, positions);
  const lines = [...answers, { milliseconds, runtime }].map((each) => JSON.stringify(each) + "\n");
  await writeFile(values.out, lines.join(""));
}

function readArguments(options) {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new Refused(firstLine(error.message));
  }
}

/** A runtime in this process. */
async function inNode(name, title) {
  needs(DIST, "the package is not built");
  const device = await import(pathToFileURL(path.join(DIST, "index.js")).href);
  const runtime = name === undefined ? undefined : await importRuntime(name);
  const version = name === undefined ? "" : ` ${versionOf(name.split("/")[0])}`;
  return async (release, positions) => ({
    answers: await answerAll(device, release, positions, runtime),
    milliseconds: await time(device, release, positions, runtime),
    runtime: `${title}${version} / Node ${process.version}`,
  });
}

async function importRuntime(name) {
  try {
    const imported = await import(name);
    const runtime = imported.InferenceSession ? imported : imported.default;
    if (name.startsWith("onnxruntime-web")) runtime.env.wasm.numThreads = 1;
    return runtime;
  } catch (error) {
    throw new Missing(`${name} does not load (${firstLine(error)}): run \`make device\``);
  }
}

/** The same on a page of a headless Chromium. */
async function inChromium(wasm) {
  needs(DIST, "the package is not built");
  needs(path.join(HOME, "node_modules", "playwright-core"), "playwright-core is not installed");
  if (findChromium() === undefined) {
    throw new Missing("Chromium is not installed: run `apt-get install chromium`, or set CHROMIUM to its program");
  }
  const ort = path.join(HOME, "node_modules", "onnxruntime-web", "dist");
  if (wasm) needs(ort, "onnxruntime-web is not installed");
  const folders = { "/dist/": DIST, "/parity/": path.join(HOME, "parity"), "/ort/": ort };
  return (release, positions) =>
    withPage(folders, async (page, _url, version) => {
      await page.evaluate(openPage, { wasm, release: { ...release, ...encode(release) } });
      const answers = [];
      for (let first = 0; first < positions.length; first += CHUNK) {
        const found = await page.evaluate((chunk) => globalThis.answer(chunk), positions.slice(first, first + CHUNK));
        if (found.refused !== undefined) throw new Refused(found.refused);
        answers.push(...JSON.parse(found.answers));
      }
      const milliseconds = await page.evaluate((all) => globalThis.time(all), positions);
      const title = wasm ? `onnxruntime-web ${versionOf("onnxruntime-web")}` : "plain TypeScript";
      return { answers, milliseconds, runtime: `${title} / ${version}` };
    });
}

/** Runs on the page: everything it needs comes from the server or in its argument. */
async function openPage({ wasm, release }) {
  const { answerAll, Refused, time } = await import("/parity/answers.mjs");
  const device = await import("/dist/index.js");
  let runtime;
  if (wasm) {
    runtime = await import("/ort/ort.wasm.min.mjs");
    runtime.env.wasm.wasmPaths = "/ort/";
    runtime.env.wasm.numThreads = 1;
  }
  const decode = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const files = { tiers: release.tiers, int8: decode(release.int8), float: decode(release.float) };
  globalThis.time = (positions) => time(device, files, positions, runtime);
  globalThis.answer = async (positions) => {
    try {
      // As text, because the browser's protocol would turn -0 and numbers into something else on its way.
      return { answers: JSON.stringify(await answerAll(device, files, positions, runtime)) };
    } catch (error) {
      if (error instanceof Refused) return { refused: error.message };
      throw error;
    }
  };
}

async function readRelease(folder) {
  const read = async (name) => {
    try {
      return await readFile(path.join(folder, name));
    } catch (error) {
      throw new Refused(`${path.join(folder, name)} cannot be read (${error.code})`);
    }
  };
  const [tiers, int8, float] = [await read("tiers.json"), await read("elite.int8.onnx"), await read("elite.onnx")];
  return { tiers: tiers.toString("utf8"), int8: new Uint8Array(int8), float: new Uint8Array(float) };
}

async function readPositions(file) {
  let content;
  try {
    content = await readFile(file, "utf8");
  } catch (error) {
    throw new Refused(`${file} cannot be read (${error.code})`);
  }
  const lines = content.split("\n").filter((line) => line !== "");
  return lines.map((line, index) => {
    try {
      return JSON.parse(line);
    } catch {
      throw new Refused(`${file}, line ${index + 1}: it is not JSON`);
    }
  });
}

function encode(release) {
  const base64 = (bytes) => Buffer.from(bytes).toString("base64");
  return { int8: base64(release.int8), float: base64(release.float) };
}

function versionOf(name) {
  const entry = createRequire(import.meta.url).resolve(name);
  const root = entry.slice(
    0,
    entry.lastIndexOf(path.join("node_modules", name)) + path.join("node_modules", name).length,
  );
  return createRequire(import.meta.url)(path.join(root, "package.json")).version;
}

function needs(folder, otherwise) {
  if (!existsSync(folder)) throw new Missing(`${otherwise}: run \`make device\``);
}

function text() {
  return { type: "string" };
}

function firstLine(error) {
  return String(error).split("\n")[0];
}

try {
  await main();
} catch (error) {
  if (error instanceof Missing || error instanceof Refused) {
    console.error(`answer.mjs: ${firstLine(error.message)}`);
    process.exitCode = error instanceof Missing ? 3 : 4;
  } else {
    throw error;
  }
}
