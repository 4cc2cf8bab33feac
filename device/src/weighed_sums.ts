/**
 * Sums of whole numbers times small weights: where nearly all of a network's time goes.
 *
 * Two weights travel in one double, the second 2**26 times as large: one product and one addition serve two outputs.
 * That is exact as long as no sum reaches 2**25 (the caller sees to 2**24), because 2**51 still leaves a double all its
 * whole numbers. It halves the work on engines without a compiler (Hermes) too. Zeros are skipped: after a Relu they are
 * about half of all numbers.
 */

const SHIFT = 2 ** 26;
/** Pairs of outputs that are summed side by side, in as many local variables. */
const BLOCK = 8;

export interface PackedWeights {
  /** [kernel * kernel, inputs, pairs]: weight of output 2 * pair + SHIFT * weight of output 2 * pair + 1. */
  readonly pairs: Float64Array;
  /** A multiple of BLOCK; what is over is 0. */
  readonly width: number;
  readonly outputs: number;
  readonly inputs: number;
  readonly kernel: number;
}

/** @param weights [outputs, inputs, kernel, kernel], row by row. */
export function pack(weights: ArrayLike<number>, outputs: number, inputs: number, kernel: number): PackedWeights {
  const width = Math.ceil(outputs / 2 / BLOCK) * BLOCK;
  const area = kernel * kernel;
  const pairs = new Float64Array(area * inputs * width);
  for (let output = 0; output < outputs; output++) {
    for (let input = 0; input < inputs; input++) {
      for (let tap = 0; tap < area; tap++) {
        const weight = weights[(output * inputs + input) * area + tap]!;
        pairs[(tap * inputs + input) * width + (output >> 1)]! += output % 2 === 0 ? weight : weight * SHIFT;
      }
    }
  }
  return { pairs, width, outputs, inputs, kernel };
}

// Where the weights of the numbers under one window begin, and those numbers: at most 9 cells of 64 inputs at a time.
let starts = new Int32Array(0);
let found = new Float64Array(0);

/**
 * A convolution whose edges count as 0.
 *
 * @param source [side * side, inputs] whole numbers. @param bias [outputs]. @param to [side * side, outputs], overwritten.
 */
export function weigh(
  source: Float64Array,
  side: number,
  weights: PackedWeights,
  bias: ArrayLike<number>,
  to: Float64Array,
): void {
  const { width, outputs, inputs, kernel } = weights;
  if (starts.length < inputs * kernel * kernel) {
    starts = new Int32Array(inputs * kernel * kernel);
    found = new Float64Array(inputs * kernel * kernel);
  }
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const count = gather(source, side, row, column, weights);
      const at = (row * side + column) * outputs;
      for (let block = 0; block < width; block += BLOCK) sumBlock(weights.pairs, block, count, bias, to, at, outputs);
    }
  }
}

/** Collect the numbers under the window at (row, column) that are not 0; returns how many there are. */
function gather(source: Float64Array, side: number, row: number, column: number, weights: PackedWeights): number {
  const { width, inputs, kernel } = weights;
  const edge = kernel >> 1;
  let count = 0;
  for (let down = 0; down < kernel; down++) {
    const r = row + down - edge;
    if (r < 0 || r >= side) continue;
    for (let right = 0; right < kernel; right++) {
      const c = column + right - edge;
      if (c < 0 || c >= side) continue;
      const from = (r * side + c) * inputs;
      const tap = (down * kernel + right) * inputs;
      for (let input = 0; input < inputs; input++) {
        const number = source[from + input]!;
        if (number === 0) continue;
        found[count] = number;
        starts[count++] = (tap + input) * width;
      }
    }
  }
  return count;
}

function sumBlock(
  pairs: Float64Array,
  block: number,
  count: number,
  bias: ArrayLike<number>,
  to: Float64Array,
  at: number,
  outputs: number,
): void {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let s4 = 0;
  let s5 = 0;
  let s6 = 0;
  let s7 = 0;
  for (let i = 0; i < count; i++) {
    const number = found[i]!;
    const from = starts[i]! + block;
    s0 += number * pairs[from]!;
    s1 += number * pairs[from + 1]!;
    s2 += number * pairs[from + 2]!;
    s3 += number * pairs[from + 3]!;
    s4 += number * pairs[from + 4]!;
    s5 += number * pairs[from + 5]!;
    s6 += number * pairs[from + 6]!;
    s7 += number * pairs[from + 7]!;
  }
  const first = 2 * block;
  unpack(s0, first, bias, to, at, outputs);
  unpack(s1, first + 2, bias, to, at, outputs);
  unpack(s2, first + 4, bias, to, at, outputs);
  unpack(s3, first + 6, bias, to, at, outputs);
  unpack(s4, first + 8, bias, to, at, outputs);
  unpack(s5, first + 10, bias, to, at, outputs);
  unpack(s6, first + 12, bias, to, at, outputs);
  unpack(s7, first + 14, bias, to, at, outputs);
}

/** Write the two sums of a pair, with their biases. */
function unpack(
  pair: number,
  output: number,
  bias: ArrayLike<number>,
  to: Float64Array,
  at: number,
  outputs: number,
): void {
  const second = Math.floor(pair / SHIFT + 0.5);
  if (output < outputs) to[at + output] = pair - second * SHIFT + bias[output]!;
  if (output + 1 < outputs) to[at + output + 1] = second + bias[output + 1]!;
}
