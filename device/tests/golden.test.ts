/** Every position that ships, against what Python and ONNX Runtime answered: to the last bit. */

import { describe, expect, test } from "vitest";

import { chooseMove, features, IntegerNetwork, legalMoves, loadOpponents, newGame } from "../src/index.js";
import { golden, int8Model, tiersText } from "./release.js";

const positions = golden().map((right) => ({ right, state: newGame(right.board, right.cells) }));
const network = new IntegerNetwork(int8Model());
const opponents = loadOpponents({ tiers: tiersText(), runtime: network });

describe(`${positions.length} golden positions`, () => {
  test("whose turn it is and where a stone may go", () => {
    for (const { right, state } of positions) {
      expect(state.toMove).toBe(right.to_move);
      expect(legalMoves(state)).toEqual(right.moves);
    }
  });

  test("features", () => {
    let compared = 0;
    for (const { right, state } of positions) {
      for (const [index, row] of (right.features ?? []).entries()) {
        expect(Array.from(features(state, right.moves[index]!))).toEqual(row);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(0);
  });

  test("scores of the tiers that weigh features", () => {
    for (const { right, state } of positions) {
      for (const [tier, scores] of Object.entries(right.scores)) {
        expect([...chooseMove(opponents, state, tier, 0n).scores.values()]).toEqual(scores);
      }
    }
  });

  test("the moves that easy samples", () => {
    for (const { right, state } of positions) {
      expect(chooseMove(opponents, state, "easy", BigInt(right.sampled.seed)).cell).toBe(right.sampled.move);
    }
  });

  test("logits of elite.int8.onnx", () => {
    for (const { right, state } of positions) {
      expect(Array.from(network.logits(state))).toEqual(right.int8_logits.map(Math.fround));
    }
  });

  test("elite plays the legal cell with the highest of them", () => {
    for (const { right, state } of positions) {
      const { cell, playedBy, scores } = chooseMove(opponents, state, "elite", 0n);
      expect(playedBy).toBe("elite");
      expect(scores.get(cell)).toBe(Math.max(...scores.values()));
      const logit = Math.floor(cell / right.board) * 8 + (cell % right.board);
      expect(scores.get(cell)).toBe(Math.fround(right.int8_logits[logit]!));
    }
  });
});
