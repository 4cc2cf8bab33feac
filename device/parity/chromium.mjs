/** A headless Chromium with a page of ours in it, and the local server that the page comes from. */

import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
/** A browser refuses a module or a WebAssembly file that comes under another type. */
const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The browser's program, or undefined where none is installed; CHROMIUM in the environment comes first. */
export function findChromium() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const places = (process.env.PATH ?? "").split(path.delimiter);
  const found = names.flatMap((name) => places.map((place) => path.join(place, name)));
  return [process.env.CHROMIUM, ...found].find((program) => program && existsSync(program));
}

/**
 * Run a function with a page of a fresh Chromium, then clear everything away.
 *
 * @param folders path on the server -> folder: {"/ort/": "..."}.
 * @param work async (page, url, version) => result.
 */
export async function withPage(folders, work) {
  const { chromium } = await import("playwright-core");
  const server = await serve(folders);
  const profile = await mkdtemp(path.join(tmpdir(), "pocketzero-chromium-"));
  try {
    const context = await chromium.launchPersistentContext(profile, {
      executablePath: findChromium(),
      headless: true,
      args: FLAGS,
      timeout: 120_000,
    });
    try {
      const page = await context.newPage();
      await page.goto(server.url);
      const agent = await page.evaluate(() => navigator.userAgent);
      return await work(page, server.url, /Chrome\/[\d.]+/.exec(agent)?.[0] ?? agent);
    } finally {
      await context.close();
    }
  } finally {
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Serve folders to this machine only: {url, close}. "/" is an empty page where no folder is given for it. */
export async function serve(folders) {
  const server = createServer(async (request, response) => {
    // Isolated pages get a finer clock.
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    const asked = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const content = await find(folders, asked);
    if (content === undefined && asked !== "/") return response.writeHead(404).end("not found");
    const type = asked.endsWith("/") ? "text/html" : (TYPES[path.extname(asked)] ?? "application/octet-stream");
    return response.writeHead(200, { "Content-Type": type }).end(content ?? "<!doctype html><title>parity</title>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

async function find(folders, asked) {
  for (const [prefix, folder] of Object.entries(folders)) {
    if (!asked.startsWith(prefix)) continue;
    const rest = asked.slice(prefix.length);
    const file = path.resolve(folder, rest === "" ? "index.html" : rest);
    if (!file.startsWith(path.resolve(folder) + path.sep)) return undefined;
    try {
      return await readFile(file);
    } catch {
      continue;
    }
  }
  return undefined;
}
