/** Takes the pictures of the README: `npm run screenshots -- FOLDER`. The page must have been built. */

import path from "node:path";
import { newGame, withBuiltPage } from "./page.mjs";

const folder = path.resolve(process.argv[2] ?? "../docs/images");
const PICTURES = [
  { name: "play-desktop.png", width: 1180, height: 900, moves: 9, opponent: "elite" },
  { name: "play-phone.png", width: 390, height: 844, moves: 7, opponent: "hard" },
];

for (const { name, width, height, moves, opponent } of PICTURES) {
  await withBuiltPage(async (page) => {
    await page.setViewportSize({ width, height });
    await newGame(page, { opponent, side: "first", board: 6 });
    await page.click("#heat");
    for (let move = 0; move < moves; move++) {
      await page.locator(".board.open .cells .choice").click();
    }
    await page.locator(".board.open .cells .choice").waitFor();
    await page.mouse.move(0, 0);
    await page.waitForTimeout(600); // until the last stone has grown
    await page.screenshot({ path: path.join(folder, name) });
    console.log(path.join(folder, name));
  });
}
