/** An ONNX file as plain objects: the parts of it that decide what a model computes. Field numbers are onnx.proto's. */

import { Malformed, readFields, readMessages, readNumber, readNumbers, readText, readTexts } from "./protobuf.js";

export { Malformed };

export interface OnnxModel {
  readonly irVersion: number;
  readonly operatorSets: ReadonlyArray<{ domain: string; version: number }>;
  readonly metadata: ReadonlyMap<string, string>;
  readonly functions: number;
  readonly nodes: readonly OnnxNode[];
  /** Initializers by name, and the tensors that nodes carry as attributes. */
  readonly tensors: readonly OnnxTensor[];
  readonly sparseTensors: number;
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  readonly valueTypes: readonly OnnxPort[];
}

export interface OnnxNode {
  readonly name: string;
  readonly operator: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  /** Whole numbers by the attribute's name, one or a list; another kind of attribute comes as undefined. */
  readonly attributes: ReadonlyMap<string, readonly number[] | undefined>;
}

export interface OnnxTensor {
  readonly name: string;
  /** As in TensorProto.DataType. */
  readonly type: number;
  readonly dimensions: readonly number[];
  readonly external: boolean;
  /** The numbers, little-endian; empty where the file keeps them in another field. */
  readonly raw: Uint8Array;
}

export interface OnnxPort {
  readonly name: string;
  readonly type: number;
  readonly shape: ReadonlyArray<number | string>;
}

const ATTRIBUTE_INT = 2;
const ATTRIBUTE_INTS = 7;

/** @throws Malformed where the bytes are no ONNX file, or not the whole of one. */
export function readOnnx(bytes: Uint8Array): OnnxModel {
  const model = readFields(bytes);
  const graphs = readMessages(model, 7);
  const graph = readFields(graphs.at(-1) ?? new Uint8Array(0));
  const nodes = readMessages(graph, 1).map(readFields);
  const ownTensors = nodes.flatMap((node) =>
    readMessages(node, 5)
      .map(readFields)
      .flatMap((attribute) => [...readMessages(attribute, 5), ...readMessages(attribute, 10)]),
  );
  return {
    irVersion: readNumber(model, 1),
    operatorSets: readMessages(model, 8)
      .map(readFields)
      .map((fields) => ({ domain: readText(fields, 1), version: readNumber(fields, 2) })),
    metadata: new Map(
      readMessages(model, 14)
        .map(readFields)
        .map((fields) => [readText(fields, 1), readText(fields, 2)]),
    ),
    functions: readMessages(model, 25).length,
    nodes: nodes.map((fields) => ({
      name: readText(fields, 3),
      operator: readText(fields, 4),
      domain: readText(fields, 7),
      inputs: readTexts(fields, 1),
      outputs: readTexts(fields, 2),
      attributes: new Map(readMessages(fields, 5).map(readAttribute)),
    })),
    tensors: [...readMessages(graph, 5), ...ownTensors].map(readTensor),
    sparseTensors: readMessages(graph, 15).length,
    inputs: readMessages(graph, 11).map(readPort),
    outputs: readMessages(graph, 12).map(readPort),
    valueTypes: readMessages(graph, 13).map(readPort),
  };
}

function readAttribute(message: Uint8Array): [string, readonly number[] | undefined] {
  const fields = readFields(message);
  const type = readNumber(fields, 20);
  const known =
    type === ATTRIBUTE_INT ? [readNumber(fields, 3)] : type === ATTRIBUTE_INTS ? readNumbers(fields, 8) : undefined;
  return [readText(fields, 1), known];
}

function readTensor(message: Uint8Array): OnnxTensor {
  const fields = readFields(message);
  return {
    name: readText(fields, 8),
    type: readNumber(fields, 2),
    dimensions: readNumbers(fields, 1),
    external: readNumber(fields, 14) !== 0 || readMessages(fields, 13).length > 0,
    raw: readMessages(fields, 9).at(-1) ?? new Uint8Array(0),
  };
}

function readPort(message: Uint8Array): OnnxPort {
  const fields = readFields(message);
  const type = readFields(readMessages(fields, 2).at(-1) ?? new Uint8Array(0));
  const tensor = readFields(readMessages(type, 1).at(-1) ?? new Uint8Array(0));
  const shape = readFields(readMessages(tensor, 2).at(-1) ?? new Uint8Array(0));
  return {
    name: readText(fields, 1),
    type: readNumber(tensor, 1),
    shape: readMessages(shape, 1)
      .map(readFields)
      .map((dimension) => readText(dimension, 2) || readNumber(dimension, 1)),
  };
}
