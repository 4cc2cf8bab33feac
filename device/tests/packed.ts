/** The package as an app gets it: built from today's source into a folder of its own, and packed there. */

import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import path from "node:path";

import { DEVICE } from "./release.js";

const TSC = path.join(DEVICE, "node_modules/typescript/bin/tsc");

/** Pack the package in `folder`, which must be empty; returns the archive's path. */
export function pack(folder: string): string {
  for (const name of ["package.json", "README.md"]) cpSync(path.join(DEVICE, name), path.join(folder, name));
  const project = path.join(DEVICE, "tsconfig.build.json");
  execFileSync(process.execPath, [TSC, "-p", project, "--outDir", path.join(folder, "dist")]);
  const told = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--offline"], { cwd: folder });
  const [{ filename }] = JSON.parse(told.toString()) as [{ filename: string }];
  return path.join(folder, filename);
}
