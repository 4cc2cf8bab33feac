/** Every fault that is known to break apps in the field, planted in the model that ships, must be refused by its name. */

import { describe, expect, test } from "vitest";

import {
  BadModel,
  IntegerNetwork,
  loadOpponents,
  openOnnxNetwork,
  tryOnnxNetwork,
  type OnnxRuntime,
} from "../src/index.js";
import { readFields } from "../src/protobuf.js";
import { added, bytesOf, edited, floats, indexOf, type Edit, type Step } from "./onnx_edits.js";
import { floatModel, int8Model, tiersText } from "./release.js";

// Fields of onnx.proto.
const [IR, GRAPH, OPSET, METADATA, FUNCTIONS] = [1, 7, 8, 14, 25];
const [NODE, TENSOR, INPUT, OUTPUT, SPARSE] = [1, 5, 11, 12, 15];

const good = int8Model();
const graph = readFields(good).find((field) => field.number === GRAPH)!.value as Uint8Array;
const node = (name: string): Step[] => [[GRAPH], [NODE, indexOf(graph, NODE, 3, name)]];
const tensor = (name: string): Step[] => [[GRAPH], [TENSOR, indexOf(graph, TENSOR, 8, name)]];
const metadata = (key: string): Step => [METADATA, indexOf(good, METADATA, 1, key)];
const shape = (port: number): Step[] => [[GRAPH], [port], [2], [1], [2]];
const to =
  (value: number | Uint8Array): Edit =>
  () => [value];
const gone: Edit = () => [];
const bytes =
  (edit: (bytes: Uint8Array) => void): Edit =>
  (value) => {
    const copy = (value as Uint8Array).slice();
    edit(copy);
    return [copy];
  };

type Fault = [fault: string, broken: Uint8Array, message: string];

/** What breaks any runtime, so none may see it. */
const STRUCTURE: Fault[] = [
  ["no bytes", Uint8Array.of(), "the file holds no graph: it is empty or truncated"],
  ["a web page for bytes", bytesOf("<!doctype html><title>Not found</title>"), "not a whole ONNX file"],
  ["IR 10", edited(good, [[IR]], to(10)), "IR version is 10: the newest that every runtime reads is 8"],
  ["opset 18", edited(good, [[OPSET], [2]], to(18)), "operator sets are ai.onnx 18: the only one may be ai.onnx 17"],
  [
    "a second operator set",
    added(good, [], OPSET, Uint8Array.from([10, 1, 120, 16, 1])),
    "operator sets are ai.onnx 17, x 1",
  ],
  [
    "data in another file",
    added(good, tensor("stem.weight.numbers"), 14, 1),
    'tensor "stem.weight.numbers" keeps its data in another file: all data must be inside this one',
  ],
  [
    "another operator",
    edited(good, [...node("stem"), [4]], to(bytesOf("ConvInteger"))),
    "operator ConvInteger is not allowed",
  ],
  [
    "another domain",
    added(good, node("stem"), 7, bytesOf("com.microsoft")),
    "operator com.microsoft.Conv is not allowed",
  ],
  ["a function", added(good, [], FUNCTIONS, Uint8Array.of()), "functions are defined in the file"],
  ["a sparse tensor", added(good, [[GRAPH]], SPARSE, Uint8Array.of()), "a tensor is sparse"],
  [
    "an int64 input",
    edited(good, [[GRAPH], [INPUT], [2], [1], [1]], to(7)),
    'input "board" is int64: it must be float',
  ],
  [
    "a float16 output",
    edited(good, [[GRAPH], [OUTPUT], [2], [1], [1]], to(10)),
    'tensor "policy" is float16: allowed are',
  ],
  ["float16 scales", edited(good, [...tensor("stem.scale"), [2]], to(10)), 'tensor "stem.scale" is float16'],
  ["an unknown type", edited(good, [...tensor("stem.scale"), [2]], to(99)), "of unknown type 99"],
  [
    "a larger board",
    edited(good, [...shape(INPUT), [1, 2], [1]], to(9)),
    'input "board" has shape [batch, 3, 9, 8]: it must be [batch, 3, 8, 8]',
  ],
  [
    "a fixed batch",
    edited(good, [...shape(OUTPUT), [1, 0]], to(Uint8Array.of(8, 1))),
    "has shape [1, 64]: it must be [batch, 64]",
  ],
  [
    "another input's name",
    edited(good, [[GRAPH], [INPUT], [1]], to(bytesOf("input"))),
    "input names are input: they must be board",
  ],
  ["no output", edited(good, [[GRAPH], [OUTPUT]], gone), "output names are missing: they must be policy"],
  [
    "another game",
    edited(good, [metadata("game"), [2]], to(bytesOf("tic_tac_toe"))),
    'metadata "game" is "tic_tac_toe": this game\'s is "cell_division"',
  ],
  [
    "other rules",
    edited(good, [metadata("rules"), [2]], to(bytesOf("00"))),
    'metadata "rules" is "00": this game\'s is',
  ],
  ["no schema", edited(good, [metadata("schema")], gone), 'metadata "schema" is missing: it must be'],
];

/** What a runtime would compute all the same, but not every runtime alike. */
const UNSAFE_SUMS: Fault[] = [
  [
    "a scale that rounds",
    edited(good, [...tensor("stem.scale"), [9]], to(floats(0.01))),
    'node "stem.q" has scales that are not powers of two',
  ],
  ["a negative scale", edited(good, [...tensor("stem.scale"), [9]], to(floats(-0.5))), "not powers of two"],
  ["an infinite scale", edited(good, [...tensor("stem.scale"), [9]], to(floats(Infinity))), "not powers of two"],
  [
    "weights with a zero point",
    edited(
      good,
      [...tensor("stem.weight.zero"), [9]],
      bytes((zeros) => (zeros[0] = 1)),
    ),
    "has a zero point; constants have none",
  ],
  [
    "weights that saturate on AVX2",
    edited(
      good,
      [...tensor("stem.weight.numbers"), [9]],
      bytes((weights) => (weights[0] = 65)),
    ),
    'node "stem.weight" has weights outside -64 .. 64',
  ],
  [
    "sums that float32 does not hold",
    edited(
      good,
      [...tensor("stem.bias.numbers"), [9]],
      bytes((biases) => (biases[3] = 127)),
    ),
    'node "stem" can reach',
  ],
  [
    "a bias of another scale",
    edited(
      good,
      [...tensor("stem.bias.scale"), [9]],
      bytes((scales) => (scales[3]! ^= 1)),
    ),
    'node "stem" has a bias whose scales are not those of its sums',
  ],
  [
    "weights of another shape",
    edited(good, [...tensor("stem.weight.numbers"), [1, 1]], to(4)),
    'node "stem.weight" reads "stem.weight.numbers"', // and how many bytes: that is the network's width
  ],
  [
    "dilated windows",
    added(good, node("stem"), 5, attribute("dilations", 2, 2)),
    'node "stem" has the attributes dilations=2,2',
  ],
  [
    "a loop",
    edited(good, [...node("stem"), [1]], to(bytesOf("policy"))),
    'node "stem" reads "policy", which no node before it computes',
  ],
  [
    "a missing tensor",
    edited(good, tensor("stem.scale"), gone),
    'node "stem.q" reads "stem.scale", which is not in the file',
  ],
  [
    "no bias",
    edited(good, [...node("stem"), [1, 2]], gone),
    'node "stem" should have weights and biases from the file',
  ],
  ["float weights", floatModel(), "its weights are not int8: pass the file of that name, not elite.onnx"],
];

function attribute(name: string, ...ints: number[]): Uint8Array {
  return Uint8Array.from([10, name.length, ...bytesOf(name), ...ints.flatMap((each) => [0x40, each]), 0xa0, 1, 7]);
}

/** The same in elite.onnx, which only a runtime plays. */
const FLOAT: Fault[] = [
  ["IR 10", edited(floatModel(), [[IR]], to(10)), "IR version is 10"],
  ["data in another file", added(floatModel(), [[GRAPH], [TENSOR]], 14, 1), "keeps its data in another file"],
  ["an int64 input", edited(floatModel(), [[GRAPH], [INPUT], [2], [1], [1]], to(7)), 'input "board" is int64'],
  ["a larger board", edited(floatModel(), [...shape(INPUT), [1, 2], [1]], to(9)), "it must be [batch, 3, 8, 8]"],
  ["no metadata", edited(floatModel(), [[METADATA]], gone), "is missing: it must be"],
];

const runtime: OnnxRuntime = {
  InferenceSession: {
    create: () => {
      throw new Error("the runtime saw the file");
    },
  },
  Tensor: Object as never,
};
describe("a model with", () => {
  test.each([...STRUCTURE, ...UNSAFE_SUMS])("%s is refused", (_, broken, message) => {
    expect(() => new IntegerNetwork(broken)).toThrow(BadModel);
    expect(() => loadOpponents({ tiers: tiersText(), int8Model: broken })).toThrow(message);
    expect(() => loadOpponents({ tiers: tiersText(), int8Model: broken })).toThrow("elite.int8.onnx: ");
  });

  test.each(STRUCTURE)("%s never reaches a runtime", async (_, broken, message) => {
    await expect(openOnnxNetwork(runtime, "elite.int8.onnx", broken)).rejects.toThrow(message);
    await expect(tryOnnxNetwork(() => Promise.resolve(runtime), "elite.int8.onnx", broken)).rejects.toThrow(message);
  });

  test.each(FLOAT)("%s in float32 never reaches a runtime", async (_, broken, message) => {
    await expect(openOnnxNetwork(runtime, "elite.onnx", broken)).rejects.toThrow(message);
  });

  test.each([
    ["elite.int8.onnx", good],
    ["elite.onnx", floatModel()],
  ])("any end of %s cut off never reaches a runtime", async (file, whole) => {
    for (let length = 0; length < whole.length; length += length < 300 || length > whole.length - 400 ? 1 : 1997) {
      const cut = whole.subarray(0, length);
      await expect(openOnnxNetwork(runtime, file, cut), `${length} bytes`).rejects.toThrow(`${file}: `);
    }
  });

  test("any of its ends cut off is refused", () => {
    for (let length = 0; length < good.length; length += length < 300 || length > good.length - 400 ? 1 : 997) {
      expect(() => new IntegerNetwork(good.subarray(0, length)), `${length} bytes`).toThrow(BadModel);
    }
  });

  test("any single byte changed is refused as a BadModel, or plays on", () => {
    for (let at = 0; at < good.length; at += 61) {
      const broken = good.slice();
      broken[at]! ^= 0x55;
      try {
        new IntegerNetwork(broken);
      } catch (error) {
        expect(error, `byte ${at}`).toBeInstanceOf(BadModel);
      }
    }
  });
});
