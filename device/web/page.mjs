/** The built page in a headless Chromium: for the tests and the pictures. */

import { fileURLToPath } from "node:url";
import { withPage } from "../parity/chromium.mjs";

/** @param work async (page, url) => result; the page is served from `dist`, and its opponents move at once. */
export function withBuiltPage(work, dist = fileURLToPath(new URL("dist", import.meta.url))) {
  return withPage({ "/": dist }, async (page, url) => {
    await page.goto(`${url}?pace=0`);
    return work(page, url);
  });
}

/** Start a new game by the dialog, as a person does. */
export async function newGame(page, { opponent, side, board }) {
  await page.click("#new");
  for (const [name, value] of Object.entries({ opponent, side, board: String(board), start: "empty" })) {
    await page.locator(`#setup input[name="${name}"][value="${value}"]`).check({ force: true });
  }
  await page.click("#begin");
}
