import { describe, expect, test } from "vitest";

import { chooseMove, chooseMoveAsync, legalMoves, loadOpponents, newGame, play, type Network } from "../src/index.js";
import { int8Model, tiersText } from "./release.js";

interface Tiers {
  tiers: Record<string, Record<string, unknown>>;
}

/** tiers.json with something changed in it. */
function changed(change: (content: Tiers & Record<string, unknown>) => void): string {
  const content = JSON.parse(tiersText()) as Tiers & Record<string, unknown>;
  change(content);
  return JSON.stringify(content);
}

const flat: Network = { logits: () => new Float32Array(64) };
const all = loadOpponents({ tiers: tiersText(), int8Model: int8Model() });

describe("a choice", () => {
  test("of equal scores goes to the lowest cell", () => {
    const opponents = loadOpponents({ tiers: tiersText(), runtime: flat });
    expect(chooseMove(opponents, newGame(5, [3, ...Array<number>(24).fill(0)]), "elite", 0n).cell).toBe(1);
  });

  test("comes with the score of every legal cell and no other", () => {
    const state = play(newGame(6), 14);
    for (const tier of all.tiers.keys()) {
      expect([...chooseMove(all, state, tier, 3n).scores.keys()]).toEqual(legalMoves(state));
    }
  });

  test("of a tier that plays its best has no entropy; a random one has that of even odds", () => {
    expect(chooseMove(all, newGame(4), "medium", 1n).entropy).toBe(0);
    expect(chooseMove(all, newGame(4), "easy", 1n).entropy).toBeGreaterThan(0);
    expect(chooseMove(all, newGame(4), "random", 1n).entropy).toBeCloseTo(Math.log(16), 12);
  });

  test("is the same for the same seed, and not for all seeds", () => {
    const cells = [1n, 2n, 3n, 4n, 5n].map((seed) => chooseMove(all, newGame(8), "easy", seed).cell);
    expect([1n, 2n, 3n, 4n, 5n].map((seed) => chooseMove(all, newGame(8), "easy", seed).cell)).toEqual(cells);
    expect(new Set(cells).size).toBeGreaterThan(1);
  });

  test("within a distance of the best never leaves it", () => {
    const opponents = loadOpponents({
      tiers: changed(({ tiers }) => Object.assign(tiers["hard"]!, { choice: "sample", temperature: 100, within: 0.2 })),
      int8Model: int8Model(),
    });
    const found = new Set<number>();
    for (let seed = 0n; seed < 200n; seed++) {
      const { cell, scores } = chooseMove(opponents, play(newGame(6), 14), "hard", seed);
      expect(scores.get(cell)).toBeGreaterThanOrEqual(Math.max(...scores.values()) - 0.2);
      found.add(cell);
    }
    expect(found.size).toBeGreaterThan(1);
  });

  test("is the same later and at once", async () => {
    const state = play(newGame(7), 24);
    for (const tier of all.tiers.keys()) {
      expect(await chooseMoveAsync(all, state, tier, 9n)).toEqual(chooseMove(all, state, tier, 9n));
    }
  });
});

describe("without a network", () => {
  const opponents = loadOpponents({ tiers: tiersText() });

  test("the fallback plays for elite, and says so", () => {
    const state = play(newGame(8), 27);
    const { notice, ...chosen } = chooseMove(opponents, state, "elite", 0n);
    expect(notice).toContain('No network is loaded, so the tier "fallback" plays in place of "elite"');
    expect(chosen).toEqual(chooseMove(opponents, state, "fallback", 0n));
    expect(chosen.playedBy).toBe("fallback");
  });

  test("the other tiers play as always, and say nothing", () => {
    const chosen = chooseMove(opponents, newGame(8), "hard", 0n);
    expect(chosen).toEqual(chooseMove(all, newGame(8), "hard", 0n));
    expect("notice" in chosen).toBe(false);
  });

  test("and without a fallback there are no opponents", () => {
    const tiers = changed(({ tiers }) => delete tiers["fallback"]);
    expect(() => loadOpponents({ tiers })).toThrow('there is no tier "fallback" in its place; pass int8Model');
  });
});

describe("a question without an answer", () => {
  test("an unknown tier", () => {
    expect(() => chooseMove(all, newGame(4), "Hard", 0n)).toThrow(
      'there is no tier "Hard"; tiers.json has easy, elite,',
    );
  });

  test("a game that is over", () => {
    const over = newGame(4, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
    expect(() => chooseMove(all, over, "hard", 0n)).toThrow("the game is over");
  });

  test("a network that answers later, asked at once", () => {
    const later = loadOpponents({ tiers: tiersText(), runtime: { logits: async () => new Float32Array(64) } });
    expect(() => chooseMove(later, newGame(4), "elite", 0n)).toThrow("use chooseMoveAsync");
  });
});

describe("a tiers.json is refused", () => {
  test.each<[string, string, string]>([
    ["that is no JSON", "<html>", "tiers.json: it is not JSON"],
    ["of another schema", changed((it) => (it["schema"] = 1)), "schema is 1; it should be 2"],
    ["of another game", changed((it) => (it["game"] = "tron")), 'game is "tron"; it should be "cell_division"'],
    [
      "with other features",
      changed((it) => (it["features"] = ["x"])),
      'features is ["x"]; it should be that of this package',
    ],
    ["without tiers", changed((it) => (it.tiers = {})), "tiers is {}; it should be an object with one member a tier"],
    ["with something unknown", changed((it) => (it["x"] = 1)), "x is 1; it should be left out"],
    ["of an unknown kind", changed((it) => (it.tiers["easy"]!["kind"] = "toString")), 'tiers.easy.kind is "toString"'],
    [
      "short of a weight",
      changed((it) => (it.tiers["easy"]!["weights"] = [1])),
      "tiers.easy.weights is [1]; it should be a list of 13",
    ],
    [
      "with a weight of null",
      changed((it) => ((it.tiers["easy"]!["weights"] as unknown[])[2] = null)),
      "a list of 13 finite numbers",
    ],
    [
      "without its model",
      changed((it) => delete it.tiers["elite"]!["int8_model"]),
      "tiers.elite.int8_model is missing",
    ],
    ["of an unknown choice", changed((it) => (it.tiers["easy"]!["choice"] = "best")), 'tiers.easy.choice is "best"'],
    ["too cold to sample", changed((it) => (it.tiers["easy"]!["temperature"] = 0)), "above 0 where choice is sample"],
    ["with a negative distance", changed((it) => (it.tiers["easy"]!["within"] = -1)), "tiers.easy.within is -1"],
  ])("%s", (_, tiers, message) => {
    expect(() => loadOpponents({ tiers })).toThrow(message);
  });
});
