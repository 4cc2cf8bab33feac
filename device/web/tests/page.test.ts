/** The page in a real browser, as a person uses it. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { importGames } from "../../src/index.js";
import { newGame, withBuiltPage } from "../page.mjs";
import { TIERS } from "../src/names.js";

const folder = mkdtempSync(path.join(tmpdir(), "pocketzero-page-"));
const ROOT = path.join(import.meta.dirname, "../../..");

afterAll(() => rmSync(folder, { recursive: true }));

/** Run with the page; an error that the page throws fails the test. */
async function onPage(work: (page: Page) => Promise<void>): Promise<void> {
  await withBuiltPage(async (page: Page) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(String(error)));
    await work(page);
    expect(errors).toEqual([]);
  });
}

const stones = (page: Page): Promise<number> => page.locator(".cells button.coral, .cells button.azure").count();
const text = async (page: Page, selector: string): Promise<string> => (await page.textContent(selector)) ?? "";
const isOver = (page: Page): Promise<boolean> => page.locator("#status.over").isVisible();

async function playToTheEnd(page: Page): Promise<void> {
  while (!(await isOver(page))) {
    await page.locator(".board.open .cells .empty, #status.over").first().waitFor();
    if (await isOver(page)) return;
    await page.locator(".board.open .cells .empty").first().click();
  }
}

async function exported(page: Page): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#export")]);
  const file = path.join(folder, "games.jsonl");
  await download.saveAs(file);
  return file;
}

async function imported(page: Page, content: string): Promise<void> {
  const file = path.join(folder, "given.jsonl");
  writeFileSync(file, content);
  await page.setInputFiles("#file", file);
}

test.each(TIERS.map(({ name }) => name))("a whole game against %s, which the Python reader accepts", async (opponent) => {
  await onPage(async (page) => {
    const side = opponent === "medium" ? "second" : "first";
    await newGame(page, { opponent, side, board: 5 });
    await playToTheEnd(page);
    const file = await exported(page);
    const [game] = importGames(readFileSync(file, "utf8"));
    expect(game?.moves.length).toBe(25);
    expect(game?.players).toContain(opponent);
    const points = await page.locator(".points").allTextContents();
    expect(game?.result).toEqual(points.map(Number));
    expect(await text(page, "#status")).toMatch(/^(You win|\w+ wins|A draw), \d+ to \d+$/);
    const python = execFileSync("python", ["-m", "pocketzero.game_records", file], { cwd: ROOT, encoding: "utf8" });
    expect(python).toContain("1 game");
  });
});

test("two opponents play each other while one watches, and stop while paused", async () => {
  await withBuiltPage(async (page: Page, url: string) => {
    await page.goto(`${url}?pace=150`);
    await newGame(page, { opponent: "elite", side: "watch", board: 4 });
    await page.locator(".cells .azure").first().waitFor();
    await page.keyboard.press("p");
    const then = await stones(page);
    await page.waitForTimeout(600);
    expect(await stones(page)).toBe(then);
    await page.keyboard.press("p");
    await page.locator("#status.over").waitFor();
    expect(await stones(page)).toBe(16);
  });
});

test("everything works from the keyboard alone", async () => {
  await onPage(async (page) => {
    await page.keyboard.press("n");
    expect(await page.locator("#setup").isVisible()).toBe(true);
    await page.keyboard.press("Enter");
    expect(await page.locator("#setup").isVisible()).toBe(false);
    for (const key of ["ArrowUp", "ArrowLeft", "ArrowLeft", "Enter"]) await page.keyboard.press(key);
    await page.locator(".board.open .cells .azure").waitFor();
    expect(await stones(page)).toBe(2);
    expect(await page.getAttribute(".cells .coral", "data-cell")).toBe(String(2 * 6 + 1));
    await page.keyboard.press("h");
    await page.locator(".cells .score").first().waitFor();
    expect(await page.locator(".cells .score").count()).toBe(34);
    await page.keyboard.press("u");
    expect(await stones(page)).toBe(0);
    await page.keyboard.press("r");
    expect(await stones(page)).toBe(2);
  });
});

test("a taken cell is not played on, and undo brings the same opponent's move again", async () => {
  await onPage(async (page) => {
    await newGame(page, { opponent: "easy", side: "first", board: 6 });
    const play = async (): Promise<string | null> => {
      await page.locator(".board.open .cells [data-cell='14']").click();
      await page.locator(".board.open .cells .azure").waitFor();
      return page.getAttribute(".cells .azure", "data-cell");
    };
    const first = await play();
    await page.locator(".cells [data-cell='14']").click({ force: true });
    expect(await text(page, "#live")).toBe("C3 is taken.");
    expect(await stones(page)).toBe(2);
    await page.click("#undo");
    expect(await play()).toBe(first);
  });
});

test("what the opponent thinks marks the cell that it then plays", async () => {
  await onPage(async (page) => {
    await newGame(page, { opponent: "medium", side: "second", board: 7 });
    await page.click("#heat");
    await page.locator(".cells .choice").waitFor();
    await page.click('[data-view="last"]');
    await page.locator(".best .choice").waitFor();
    const last = await text(page, ".moves .last");
    expect(await text(page, ".best .choice b")).toBe(last);
    expect(await text(page, "#entropy")).toBe("0.00 nats");
  });
});

test("games are imported as they were exported, and a bad file changes nothing", async () => {
  let games = "";
  await onPage(async (page) => {
    await newGame(page, { opponent: "medium", side: "first", board: 4 });
    await playToTheEnd(page);
    games = readFileSync(await exported(page), "utf8");
  });
  await onPage(async (page) => {
    await imported(page, games);
    await page.locator("#status.over").waitFor();
    expect(await stones(page)).toBe(16);
    expect(readFileSync(await exported(page), "utf8")).toBe(games);
    const bad = { ...(JSON.parse(games) as { moves: number[] }) };
    bad.moves[3] = bad.moves[2]!;
    await imported(page, `${games}${JSON.stringify(bad)}\n`);
    await page.locator("#file-alert").waitFor();
    expect(await text(page, "#file-alert")).toMatch(/given\.jsonl, line 2, move 4: .*Nothing was imported\.$/);
    expect(await page.locator("#games li").count()).toBe(1);
  });
});

test("a visit goes on where it was left", async () => {
  await onPage(async (page) => {
    await newGame(page, { opponent: "medium", side: "first", board: 5 });
    await page.locator(".board.open .cells .empty").first().click();
    await page.locator(".board.open .cells .azure").waitFor();
    await page.reload();
    await page.locator(".board.open .cells .azure").waitFor();
    expect(await stones(page)).toBe(2);
  });
});

test.each([
  [320, 568],
  [390, 844],
  [1280, 800],
])("on a screen of %i x %i nothing is cut off", async (width, height) => {
  await onPage(async (page) => {
    await page.setViewportSize({ width, height });
    await newGame(page, { opponent: "elite", side: "first", board: 8 });
    await page.click("#heat");
    await page.locator(".cells .score").first().waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const cell = (await page.locator(".cells button").first().boundingBox())!;
    expect(Math.min(cell.width, cell.height)).toBeGreaterThanOrEqual(30);
    const board = (await page.locator(".dish").boundingBox())!;
    expect(board.y + board.height).toBeLessThanOrEqual(height);
  });
});

test("without the network another tier stands in, and the page says so", async () => {
  await withBuiltPage(async (page: Page, url: string) => {
    await page.context().route("**/*.onnx", (route) => route.fulfill({ status: 404, body: "" }));
    await page.goto(`${url}?pace=0`);
    await newGame(page, { opponent: "elite", side: "first", board: 4 });
    await playToTheEnd(page);
    expect(await text(page, "#alert")).toBe("Elite's network could not be loaded (HTTP 404), so Fallback plays in Elite's place.");
    expect(await text(page, '[data-seat="1"] small')).toBe("Fallback plays for it");
  });
});
