import { expect, test } from "vitest";

import { dotInOrder, drawIndex, expShared, softmaxWeights } from "../src/exact.js";
import { SplitMix64 } from "../src/splitmix64.js";
import vectors from "./vectors.json" with { type: "json" };

test("exp gives Python's bits", () => {
  for (const [x, right] of vectors.exp) expect(expShared(x!)).toBe(right);
});

test("exp is within a few units in the last place of the engine's own", () => {
  for (const [x] of vectors.exp) {
    if (x! < -700) continue;
    expect(Math.abs(expShared(x!) - Math.exp(x!))).toBeLessThanOrEqual(3 * Number.EPSILON * Math.exp(x!));
  }
});

test.each(vectors.splitmix64)("SplitMix64 from $seed gives Python's numbers", ({ seed, next, uniform }) => {
  const [integers, doubles] = [new SplitMix64(BigInt(seed)), new SplitMix64(BigInt(seed))];
  expect(next.map(() => String(integers.next()))).toEqual(next);
  expect(uniform.map(() => doubles.uniform())).toEqual(uniform);
});

test("a seed counts by its low 64 bits", () => {
  expect(new SplitMix64(2n ** 64n + 7n).next()).toBe(new SplitMix64(7n).next());
  expect(new SplitMix64(-1n).next()).toBe(new SplitMix64(2n ** 64n - 1n).next());
});

test("sums are in the order of the index", () => {
  expect(dotInOrder([1e16, 1, -1e16], [1, 1, 1], 3)).toBe(0);
});

test("a draw walks in ascending order past u times the total", () => {
  const weights = softmaxWeights([0, 0, 0, 0], 1);
  expect([0, 0.2499, 0.25, 0.5, 0.9999].map((u) => drawIndex(weights, u))).toEqual([0, 0, 1, 2, 3]);
});
