/** What is known to break apps in the field, or would be misread: a model file with any of it is refused as a whole. */

import { BadModel } from "./bad_model.js";
import { Malformed, readOnnx, type OnnxModel, type OnnxPort } from "./onnx_file.js";
import { GAME } from "./tiers.js";

export const INPUT = "board";
export const OUTPUT = "policy";

/** What a model says about the game it was made for. The hashes are those of the game that this package plays. */
const IDENTITY = {
  game: GAME,
  rules: "41afea45f588e88839562d9684ab4dac6ad9726cbf74c6f47e334a463877a47b",
  schema: "ffd070d953cc77de9bc6beb260c3e718ef2edb9cec6434cf47061456b67286eb",
} as const;

const NEWEST_IR = 8;
const OPERATOR_SET = 17;
const OPERATORS = ["Add", "Conv", "DequantizeLinear", "Flatten", "Gemm", "QuantizeLinear", "Relu"];
/** TensorProto.DataType: the types that all runtimes handle alike, and the others by name. */
export const FLOAT = 1;
export const UINT8 = 2;
export const INT8 = 3;
export const INT32 = 6;
const TYPES: readonly number[] = [FLOAT, UINT8, INT8, INT32];
const TYPE_NAMES = [
  "undefined",
  "float",
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
  "string",
  "bool",
].concat(["float16", "double", "uint32", "uint64", "complex64", "complex128", "bfloat16"]);

/**
 * The model of a file that this package may play with.
 *
 * @param file its name, for messages.
 * @throws BadModel with every reason against it.
 */
export function readModel(file: string, bytes: Uint8Array): OnnxModel {
  let model: OnnxModel;
  try {
    model = readOnnx(bytes);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    throw new BadModel(file, `not a whole ONNX file: it is truncated, or it is something else (${error.message})`);
  }
  if (model.nodes.length === 0) throw new BadModel(file, "the file holds no graph: it is empty or truncated");
  const found = refusals(model);
  if (found.length > 0) throw new BadModel(file, found.join("; "));
  return model;
}

function refusals(model: OnnxModel): string[] {
  const found: string[] = [];
  if (model.irVersion < 1 || model.irVersion > NEWEST_IR) {
    found.push(`IR version is ${model.irVersion}: the newest that every runtime reads is ${NEWEST_IR}`);
  }
  const sets = model.operatorSets.map(({ domain, version }) => `${domain || "ai.onnx"} ${version}`).sort();
  if (sets.join() !== `ai.onnx ${OPERATOR_SET}`) {
    found.push(`operator sets are ${sets.join(", ") || "none"}: the only one may be ai.onnx ${OPERATOR_SET}`);
  }
  for (const { name, external } of model.tensors) {
    if (external) found.push(`tensor "${name}" keeps its data in another file: all data must be inside this one`);
  }
  const used = new Set(model.nodes.map(({ domain, operator }) => (domain ? `${domain}.${operator}` : operator)));
  for (const operator of [...used].sort()) {
    if (!OPERATORS.includes(operator)) {
      found.push(`operator ${operator} is not allowed: use only ${OPERATORS.join(", ")}`);
    }
  }
  if (model.functions > 0) found.push("functions are defined in the file: only standard operators are allowed");
  for (const { name, type } of [...model.tensors, ...model.inputs, ...model.valueTypes, ...model.outputs]) {
    if (!TYPES.includes(type)) {
      found.push(`tensor "${name}" is ${typeName(type)}: allowed are ${TYPES.map(typeName).join(", ")}`);
    }
  }
  if (model.sparseTensors > 0) found.push("a tensor is sparse: only dense tensors are allowed");
  found.push(...portRefusals("input", model.inputs, INPUT, [3, 8, 8]));
  found.push(...portRefusals("output", model.outputs, OUTPUT, [64]));
  for (const [key, wanted] of Object.entries(IDENTITY)) {
    const carried = model.metadata.get(key);
    if (carried === undefined) found.push(`metadata "${key}" is missing: it must be "${wanted}"`);
    else if (carried !== wanted) found.push(`metadata "${key}" is "${carried}": this game's is "${wanted}"`);
  }
  return found;
}

function portRefusals(kind: string, ports: readonly OnnxPort[], name: string, wanted: readonly number[]): string[] {
  const [port, ...others] = ports;
  if (port === undefined || others.length > 0 || port.name !== name) {
    return [`${kind} names are ${ports.map((each) => each.name).join(", ") || "missing"}: they must be ${name}`];
  }
  const found: string[] = [];
  if (port.type !== FLOAT) found.push(`${kind} "${name}" is ${typeName(port.type)}: it must be float`);
  const right = ["batch", ...wanted].join(", ");
  if (port.shape.join(", ") !== right) {
    found.push(`${kind} "${name}" has shape [${port.shape.join(", ")}]: it must be [${right}]`);
  }
  return found;
}

function typeName(type: number): string {
  return TYPE_NAMES[type] ?? `of unknown type ${type}`;
}
