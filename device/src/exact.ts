/**
 * Arithmetic that gives the same bits on every runtime: only IEEE-exact operations, in a stated order.
 *
 * Math.exp differs in the last bit between engines, and sums may be reordered. Where a choice must be the same in
 * Python and in an app, it is made with these.
 */

const LOG2_E = 1.4426950408889634;
const LN2_HIGH = 0.6931471803691238;
const LN2_LOW = 1.9082149292705877e-10;
const UNDERFLOW = -708;
const EXP_TERMS = Float64Array.from({ length: 14 }, (_, n) => 1 / factorial(n));

/** exp(x) for x <= 0, within 2 units in the last place; 0 below -708. */
export function expShared(x: number): number {
  if (x < UNDERFLOW) return 0;
  const k = Math.floor(x * LOG2_E + 0.5);
  const r = x - k * LN2_HIGH - k * LN2_LOW;
  let p = EXP_TERMS[13]!;
  for (let n = 12; n >= 0; n--) p = p * r + EXP_TERMS[n]!;
  let scale = 1;
  for (let i = 0; i < -k; i++) scale *= 0.5;
  for (let i = 0; i < k; i++) scale *= 2;
  return p * scale;
}

/** Sum of left[i] * right[i] for i = 0 .. count - 1 in that order, each product and sum rounded. */
export function dotInOrder(left: ArrayLike<number>, right: ArrayLike<number>, count: number): number {
  let total = 0;
  for (let i = 0; i < count; i++) total += left[i]! * right[i]!;
  return total;
}

/** The weights of a softmax draw: exp((scores[i] - max) / temperature). temperature must be positive. */
export function softmaxWeights(scores: readonly number[], temperature: number): number[] {
  const top = scores.reduce((best, score) => (score > best ? score : best));
  return scores.map((score) => expShared((score - top) / temperature));
}

/** The first index whose running sum of weights exceeds u times their total; u is uniform in [0, 1). */
export function drawIndex(weights: readonly number[], u: number): number {
  let total = 0;
  for (const weight of weights) total += weight;
  const mark = u * total;
  let running = 0;
  for (let i = 0; i < weights.length; i++) {
    running += weights[i]!;
    if (running > mark) return i;
  }
  return weights.length - 1;
}

function factorial(n: number): number {
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}
