/**
 * The network in plain TypeScript: elite.int8.onnx computed in whole numbers, node by node.
 *
 * A tensor is held as whole numbers and scales; its values are number * scale. R rounds to the nearest, halves to even:
 *
 *     DequantizeLinear  number - zero point, with the node's scale
 *     Conv, Gemm        bias + sum of input * weight, with the input's scale times that of the weight's output channel
 *     Add               both brought to the smaller scale, then added
 *     Relu              max(number, 0)
 *     QuantizeLinear    R(number * scale / node's scale) + zero point, clamped to 0 .. 255
 *
 * Scales are powers of two and no sum can reach 2**24, which is checked when the file is read: so every step is exact in
 * a double, and ONNX Runtime, which works in float32 and in another order, gives the same bits.
 */

import { BadModel } from "./bad_model.js";
import { INT32, INT8, FLOAT, INPUT, OUTPUT, UINT8, readModel } from "./model_checks.js";
import type { OnnxNode, OnnxTensor } from "./onnx_file.js";
import { CELLS, PLANES, writePlanes } from "./planes.js";
import type { State } from "./rules.js";
import { pack, weigh, type PackedWeights } from "./weighed_sums.js";

export const INT8_MODEL = "elite.int8.onnx";

const LARGEST = 255; // of a quantised number
const LARGEST_WEIGHT = 64; // two products with a quantised number fit into the 16 bits of AVX2's multiply-add
const EXACT = 2 ** 24; // float32 holds all whole numbers up to here
// A double of this size has no room for halves, so adding it rounds to the nearest whole number, halves to even.
const ROUNDING = 1.5 * 2 ** 52;

/** Whole numbers of a position, cell by cell, and within a cell channel by channel; scales: one, or one a channel. */
interface Scaled {
  readonly numbers: Float64Array;
  readonly cells: number;
  readonly channels: number;
  readonly scales: Float64Array;
  /** The largest that a number can be, in either direction, by channel or for all; of quantised numbers, before zero points. */
  readonly bounds: Float64Array;
}

/** Numbers that the file holds: weights [outputs, inputs, ...] or biases [outputs]. */
interface Constant {
  readonly numbers: Int32Array;
  readonly dimensions: readonly number[];
  readonly scales: Float64Array;
}

/** A network that is ready to answer, one position at a time. */
export class IntegerNetwork {
  readonly #planes: Float64Array;
  readonly #steps: ReadonlyArray<() => void>;
  readonly #policy: Scaled;

  /**
   * @param model the bytes of elite.int8.onnx.
   * @throws BadModel for a file whose answers could differ between runtimes, or that no runtime would read.
   */
  constructor(model: Uint8Array) {
    const plan = new Plan(model);
    this.#planes = plan.planes;
    this.#steps = plan.steps;
    this.#policy = plan.policy;
  }

  /** The 64 logits of a position on the 8 x 8 grid: cell (row, column) has logit 8 * row + column. */
  logits(state: State): Float32Array {
    writePlanes(state, this.#planes, PLANES, 1);
    for (const step of this.#steps) step();
    const { numbers, scales } = this.#policy;
    return Float32Array.from(numbers, (number, output) => number * scales[output % scales.length]!);
  }
}

/** From a file to steps that fill buffers, one after the other. */
class Plan {
  readonly planes = new Float64Array(CELLS * PLANES);
  readonly steps: Array<() => void> = [];
  readonly policy: Scaled;
  readonly #tensors: Map<string, OnnxTensor>;
  readonly #constants = new Map<string, Constant>();
  readonly #held = new Map<string, Scaled>();

  constructor(bytes: Uint8Array) {
    const model = readModel(INT8_MODEL, bytes);
    if (!model.nodes.some((node) => node.operator === "QuantizeLinear")) {
      throw new BadModel(INT8_MODEL, "its weights are not int8: pass the file of that name, not elite.onnx");
    }
    this.#tensors = new Map(model.tensors.map((tensor) => [tensor.name, tensor]));
    const one = Float64Array.of(1);
    this.#held.set(INPUT, { numbers: this.planes, cells: CELLS, channels: PLANES, scales: one, bounds: one });
    for (const node of model.nodes) {
      const [output] = node.outputs;
      if (output === undefined || node.outputs.length > 1) this.#refuse(node, "should have one output");
      if (this.#held.has(output) || this.#constants.has(output)) this.#refuse(node, `gives "${output}" a second time`);
      if (node.operator === "DequantizeLinear" && this.#tensors.has(node.inputs[0] ?? "")) {
        this.#constants.set(output, this.#constant(node));
      } else {
        this.#held.set(output, this.#compute(node));
      }
    }
    const policy = this.#held.get(OUTPUT);
    if (policy === undefined || policy.cells * policy.channels !== CELLS) {
      throw new BadModel(INT8_MODEL, `no node gives the ${CELLS} numbers of "${OUTPUT}"`);
    }
    this.policy = policy;
  }

  #compute(node: OnnxNode): Scaled {
    const source = this.#source(node, 0);
    switch (node.operator) {
      case "QuantizeLinear":
        return this.#quantize(node, source);
      case "DequantizeLinear":
        return this.#dequantize(node, source);
      case "Relu":
        return this.#relu(node, source);
      case "Add":
        return this.#add(node, source, this.#source(node, 1));
      case "Flatten":
        return this.#flatten(node, source);
      case "Conv":
      case "Gemm":
        return this.#weighed(node, source);
      default:
        return this.#refuse(node, `has an operator that is not computed here: ${node.operator}`);
    }
  }

  #quantize(node: OnnxNode, source: Scaled): Scaled {
    this.#check(node, 3, {});
    const { scale, zero } = this.#quantisation(node);
    const ratios = source.scales.map((each) => each / scale);
    const to = hold(source, Float64Array.of(1), Float64Array.of(LARGEST));
    this.steps.push(() => {
      for (let i = 0; i < to.numbers.length; i++) {
        const rounded = source.numbers[i]! * ratios[i % ratios.length]! + ROUNDING - ROUNDING + zero;
        to.numbers[i] = rounded < 0 ? 0 : rounded > LARGEST ? LARGEST : rounded;
      }
    });
    return to;
  }

  #dequantize(node: OnnxNode, source: Scaled): Scaled {
    this.#check(node, 3, {});
    const { scale, zero } = this.#quantisation(node);
    if (source.scales.length !== 1 || source.scales[0] !== 1)
      this.#refuse(node, "reads numbers that are not quantised");
    const to = hold(source, Float64Array.of(scale), Float64Array.of(Math.max(zero, LARGEST - zero)));
    this.steps.push(() => {
      for (let i = 0; i < to.numbers.length; i++) to.numbers[i] = source.numbers[i]! - zero;
    });
    return to;
  }

  #relu(node: OnnxNode, source: Scaled): Scaled {
    this.#check(node, 1, {});
    const to = hold(source, source.scales, source.bounds);
    this.steps.push(() => {
      for (let i = 0; i < to.numbers.length; i++) to.numbers[i] = Math.max(source.numbers[i]!, 0);
    });
    return to;
  }

  #add(node: OnnxNode, left: Scaled, right: Scaled): Scaled {
    this.#check(node, 2, {});
    if (left.cells !== right.cells || left.channels !== right.channels)
      this.#refuse(node, "adds tensors of two shapes");
    const count = left.channels;
    const pick = (values: Float64Array, channel: number): number => values[channel % values.length]!;
    const channels = Float64Array.from({ length: count }, (_, channel) => channel);
    const scales = channels.map((channel) => Math.min(pick(left.scales, channel), pick(right.scales, channel)));
    const ofLeft = channels.map((channel) => pick(left.scales, channel) / scales[channel]!);
    const ofRight = channels.map((channel) => pick(right.scales, channel) / scales[channel]!);
    const bounds = channels.map(
      (channel) => pick(left.bounds, channel) * ofLeft[channel]! + pick(right.bounds, channel) * ofRight[channel]!,
    );
    this.#checkSums(node, bounds);
    const to = hold(left, scales, bounds);
    this.steps.push(() => {
      for (let i = 0; i < to.numbers.length; i++) {
        const channel = i % count;
        to.numbers[i] = left.numbers[i]! * ofLeft[channel]! + right.numbers[i]! * ofRight[channel]!;
      }
    });
    return to;
  }

  /** From cell by cell to one long vector, channel by channel as ONNX stores tensors. */
  #flatten(node: OnnxNode, source: Scaled): Scaled {
    this.#check(node, 1, { axis: [1] });
    if (source.scales.length !== 1) this.#refuse(node, "flattens channels of several scales");
    const { cells, channels } = source;
    const to = hold(
      { cells: 1, channels: cells * channels },
      source.scales,
      source.bounds.slice(0, 1).fill(Math.max(...source.bounds)),
    );
    this.steps.push(() => {
      for (let channel = 0; channel < channels; channel++) {
        for (let cell = 0; cell < cells; cell++) {
          to.numbers[channel * cells + cell] = source.numbers[cell * channels + channel]!;
        }
      }
    });
    return to;
  }

  #weighed(node: OnnxNode, source: Scaled): Scaled {
    const weight = this.#constants.get(node.inputs[1] ?? "");
    const bias = this.#constants.get(node.inputs[2] ?? "");
    if (weight === undefined || bias === undefined) this.#refuse(node, "should have weights and biases from the file");
    const [outputs = 0, inputs = 0, kernel = 1, width = kernel] = weight.dimensions;
    const isConv = node.operator === "Conv";
    const edge = kernel >> 1;
    this.#check(node, 3, isConv ? { kernel_shape: [kernel, kernel], pads: [edge, edge, edge, edge] } : { transB: [1] });
    const right = isConv ? [outputs, source.channels, kernel, kernel] : [outputs, source.channels];
    if (weight.dimensions.join() !== right.join() || (kernel !== 1 && kernel !== 3) || width !== kernel) {
      this.#refuse(node, `has weights of shape [${weight.dimensions.join(", ")}]; it should be [${right.join(", ")}]`);
    }
    if (source.cells !== (isConv ? CELLS : 1)) this.#refuse(node, `reads ${source.cells} cells`);
    if (bias.dimensions.join() !== String(outputs)) this.#refuse(node, `should have ${outputs} biases`);
    if (source.scales.length !== 1) this.#refuse(node, "reads channels of several scales");
    const scales = weight.scales.map((each) => each * source.scales[0]!);
    if (scales.join() !== bias.scales.join()) {
      this.#refuse(node, `has a bias whose scales are not those of its sums, ${scales.join(", ")}`);
    }
    const packed = pack(weight.numbers, outputs, inputs, kernel);
    const largest = Math.max(...source.bounds);
    const taps = inputs * kernel * kernel;
    const bounds = Float64Array.from({ length: outputs }, (_, output) => {
      const ofOutput = weight.numbers.subarray(output * taps, (output + 1) * taps);
      return ofOutput.reduce((sum, each) => sum + Math.abs(each), 0) * largest + Math.abs(bias.numbers[output]!);
    });
    this.#checkSums(node, bounds);
    return this.#weighing(source, packed, bias, scales, bounds);
  }

  #weighing(source: Scaled, packed: PackedWeights, bias: Constant, scales: Float64Array, bounds: Float64Array): Scaled {
    const to = hold({ cells: source.cells, channels: packed.outputs }, scales, bounds);
    const side = Math.sqrt(source.cells);
    this.steps.push(() => weigh(source.numbers, side, packed, bias.numbers, to.numbers));
    return to;
  }

  #constant(node: OnnxNode): Constant {
    this.#check(node, 3, { axis: [0] });
    const tensor = this.#tensor(node, 0);
    const [outputs = 0] = tensor.dimensions;
    if (tensor.type !== INT8 && tensor.type !== INT32) this.#refuse(node, "should hold int8 weights or int32 biases");
    const bytes = tensor.type === INT8 ? 1 : 4;
    const view = this.#view(node, tensor, bytes);
    const numbers = Int32Array.from({ length: view.byteLength / bytes }, (_, i) =>
      bytes === 1 ? view.getInt8(i) : view.getInt32(4 * i, true),
    );
    const scales = this.#scales(node);
    if (scales.length !== outputs) this.#refuse(node, `has ${scales.length} scales for ${outputs} outputs`);
    const zeros = this.#tensor(node, 2);
    if (zeros.type !== tensor.type || zeros.raw.some((byte) => byte !== 0)) {
      this.#refuse(node, "has a zero point; constants have none");
    }
    if (tensor.type === INT8 && numbers.some((each) => Math.abs(each) > LARGEST_WEIGHT)) {
      this.#refuse(node, `has weights outside -${LARGEST_WEIGHT} .. ${LARGEST_WEIGHT}`);
    }
    return { numbers, dimensions: tensor.dimensions, scales };
  }

  /** The one scale and the zero point of a node that quantises activations, or brings them back. */
  #quantisation(node: OnnxNode): { scale: number; zero: number } {
    const scales = this.#scales(node);
    const tensor = this.#tensor(node, 2);
    if (scales.length !== 1) this.#refuse(node, `has ${scales.length} scales; it should have one`);
    if (tensor.type !== UINT8 || tensor.raw.length !== 1) this.#refuse(node, "should have one uint8 zero point");
    return { scale: scales[0]!, zero: tensor.raw[0]! };
  }

  #scales(node: OnnxNode): Float64Array {
    const tensor = this.#tensor(node, 1);
    if (tensor.type !== FLOAT) this.#refuse(node, "should have float scales");
    const view = this.#view(node, tensor, 4);
    const scales = Float64Array.from({ length: view.byteLength / 4 }, (_, i) => view.getFloat32(4 * i, true));
    if (!scales.every((scale) => scale > 0 && scale < Infinity && 2 ** Math.round(Math.log2(scale)) === scale)) {
      this.#refuse(node, `has scales that are not powers of two: ${scales.join(", ")}`);
    }
    return scales;
  }

  #view(node: OnnxNode, tensor: OnnxTensor, bytes: number): DataView {
    const { name, dimensions, raw } = tensor;
    if (raw.length !== dimensions.reduce((product, each) => product * each, bytes)) {
      this.#refuse(node, `reads "${name}": ${raw.length} bytes for a tensor of shape [${dimensions.join(", ")}]`);
    }
    return new DataView(raw.buffer, raw.byteOffset, raw.byteLength);
  }

  #source(node: OnnxNode, index: number): Scaled {
    const name = node.inputs[index] ?? "";
    return this.#held.get(name) ?? this.#refuse(node, `reads "${name}", which no node before it computes`);
  }

  #tensor(node: OnnxNode, index: number): OnnxTensor {
    const name = node.inputs[index] ?? "";
    return this.#tensors.get(name) ?? this.#refuse(node, `reads "${name}", which is not in the file`);
  }

  /** Refuse other inputs and attributes than those that are computed here. */
  #check(node: OnnxNode, inputs: number, wanted: Readonly<Record<string, readonly number[]>>): void {
    if (node.inputs.length !== inputs) this.#refuse(node, `has ${node.inputs.length} inputs; it should have ${inputs}`);
    const show = (all: Iterable<readonly [string, readonly number[] | undefined]>): string =>
      [...all]
        .map(([name, value]) => `${name}=${value?.join(",") ?? "?"}`)
        .sort()
        .join(" ");
    const [given, right] = [show(node.attributes), show(Object.entries(wanted))];
    if (given !== right) this.#refuse(node, `has the attributes ${given || "none"}; they should be ${right || "none"}`);
  }

  #checkSums(node: OnnxNode, bounds: Float64Array): void {
    const largest = Math.max(...bounds);
    if (!(largest < EXACT)) this.#refuse(node, `can reach ${largest}; float32 is exact below ${EXACT}`);
  }

  #refuse(node: OnnxNode, what: string): never {
    throw new BadModel(INT8_MODEL, `node "${node.name}" ${what}`);
  }
}

function hold(shape: { cells: number; channels: number }, scales: Float64Array, bounds: Float64Array): Scaled {
  const { cells, channels } = shape;
  return { numbers: new Float64Array(cells * channels), cells, channels, scales, bounds };
}
