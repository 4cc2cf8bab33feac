/** The package's page is true: its examples type-check against the packed package, build, and run. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { build } from "vite";

import type * as device from "../src/index.js";
import { pack } from "./packed.js";
import { DEVICE, int8Model, RELEASE, tiersText } from "./release.js";

const PAGE = readFileSync(path.join(DEVICE, "README.md"), "utf8");
const APP = mkdtempSync(path.join(tmpdir(), "pocketzero-readme-"));
const EXAMPLES = ["node", "expo", "vite", "fallback", "runtime"];

/** What of Expo the page uses, as its packages declare it; they are too large to install for a test. */
const DECLARED = `
declare module "*?url" { const url: string; export default url; }
declare module "expo-asset" {
  export class Asset { static loadAsync(id: number): Promise<Asset[]>; localUri: string | null; }
}
declare module "expo-file-system" {
  export class File { constructor(uri: string); bytes(): Promise<Uint8Array>; }
}
`;

/** The one block of the page that opens with that line. */
function block(opening: string): string {
  const found = PAGE.split("\n```" + opening + "\n").slice(1);
  expect(found.length, `blocks of ${opening}`).toBe(1);
  return found[0]!.split("\n```")[0]! + "\n";
}

/** An app with the packed package, the two files that the page names, and the runtimes that are installed here. */
beforeAll(() => {
  const installed = path.join(APP, "node_modules/@pocketzero/device");
  for (const folder of ["pack", "model", installed]) mkdirSync(path.resolve(APP, folder), { recursive: true });
  execFileSync("tar", ["-xzf", pack(path.join(APP, "pack")), "-C", installed, "--strip-components=1"]);
  for (const name of ["@types", "onnxruntime-common", "onnxruntime-node", "onnxruntime-web", "undici-types"]) {
    symlinkSync(path.join(DEVICE, "node_modules", name), path.join(APP, "node_modules", name));
  }
  for (const name of ["tiers.json", "elite.int8.onnx"]) cpSync(path.join(RELEASE, name), path.join(APP, "model", name));
  for (const name of EXAMPLES) writeFileSync(path.join(APP, `${name}.ts`), block(`ts ${name}`));
  writeFileSync(path.join(APP, "declared.d.ts"), DECLARED);
  writeFileSync(path.join(APP, "package.json"), JSON.stringify({ type: "module", private: true }));
  const compilerOptions = {
    target: "ES2022",
    lib: ["ES2022", "DOM"],
    module: "ESNext",
    moduleResolution: "Bundler",
    types: ["node"],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    resolveJsonModule: true,
    esModuleInterop: true,
  };
  writeFileSync(path.join(APP, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
});

afterAll(() => rmSync(APP, { recursive: true, force: true }));

test("every TypeScript block is one of the examples", () => {
  const openings = [...PAGE.matchAll(/^```(ts.*)$/gm)].map(([, opening]) => opening);
  expect(openings.sort()).toEqual(EXAMPLES.map((name) => `ts ${name}`).sort());
});

describe("the examples", () => {
  beforeAll(() => {
    try {
      execFileSync(process.execPath, [path.join(DEVICE, "node_modules/typescript/bin/tsc"), "-p", APP]);
    } catch (error) {
      throw new Error((error as { stdout: Buffer }).stdout.toString());
    }
  });

  test("Node: plays a game and ends as the page says", () => {
    const told = execFileSync(process.execPath, ["node.js"], { cwd: APP });
    expect(told.toString()).toBe(block("text"));
  });

  test("Vite: a page with the model as a file of its own", async () => {
    writeFileSync(path.join(APP, "index.html"), '<script type="module" src="./main.js"></script>');
    writeFileSync(path.join(APP, "main.js"), 'import { openOpponents } from "./vite.ts"; openOpponents();');
    const built = await build({ configFile: false, logLevel: "silent", root: APP, build: { write: false } });
    const files = (Array.isArray(built) ? built : [built]).flatMap((each) => ("output" in each ? each.output : []));
    const code = files.find((each) => each.fileName.endsWith(".js"));
    const model = files.find((each) => each.fileName.endsWith(".onnx"));
    expect(code !== undefined && "code" in code && code.code).toContain(model?.fileName ?? "no model");
    expect(model !== undefined && "source" in model && int8Model()).toEqual(new Uint8Array((model as never)["source"]));
  });

  test("a broken model: fallback plays, and the app is told twice", async () => {
    const example = (await load("fallback")) as {
      openWhatThereIs(tiers: string, model: Uint8Array | undefined): device.Opponents;
      openingMove(opponents: device.Opponents): number;
    };
    const warned = warnings();
    const opponents = example.openWhatThereIs(tiersText(), int8Model().subarray(0, 1000));
    expect(opponents.network).toBeUndefined();
    expect(example.openingMove(opponents)).toBe(example.openingMove(example.openWhatThereIs(tiersText(), undefined)));
    const comments = [...block("ts fallback").matchAll(/console\.warn.*\/\/ (.*) \.\.\./g)].map(([, text]) => text!);
    expect(comments.length).toBe(2);
    comments.forEach((text, index) => expect(warned[index]!.startsWith(text), warned[index]).toBe(true));
    expect(example.openWhatThereIs(tiersText(), int8Model()).network).toBeDefined();
    expect(() => example.openWhatThereIs("{}", int8Model())).toThrow("tiers.json");
  });

  test("ONNX Runtime: elite's move, without a word", () => {
    writeFileSync(
      path.join(APP, "both.mjs"),
      `import { readFileSync } from "node:fs";
      import * as plain from "./fallback.js";
      import { openingMove } from "./runtime.js";
      const files = [readFileSync("model/tiers.json", "utf8"), new Uint8Array(readFileSync("model/elite.int8.onnx"))];
      console.warn = (...words) => console.log("warned", ...words);
      console.log(await openingMove(...files), plain.openingMove(plain.openWhatThereIs(...files)));`,
    );
    const told = execFileSync(process.execPath, ["both.mjs"], { cwd: APP }).toString();
    expect(told).toMatch(/^(\d+) \1\n$/);
  });
});

test("the pinned versions are those that are tested here", () => {
  const { devDependencies } = JSON.parse(readFileSync(path.join(DEVICE, "package.json"), "utf8")) as {
    devDependencies: Record<string, string>;
  };
  for (const name of ["onnxruntime-web", "onnxruntime-node"]) {
    expect(PAGE).toContain(`| \`${name}\` | ${devDependencies[name]} |`);
  }
});

function load(name: string): Promise<unknown> {
  return import(/* @vite-ignore */ pathToFileURL(path.join(APP, `${name}.js`)).href);
}

/** What the examples say to the developer from here on. */
function warnings(): string[] {
  const warned: string[] = [];
  vi.spyOn(console, "warn").mockImplementation((...words: unknown[]) => void warned.push(words.join(" ")));
  return warned;
}
