/**
 * The network in ONNX Runtime, for those who want one: onnxruntime-web, -node and -react-native share this API.
 *
 * This package does not depend on any of them; what it needs of them is written down here.
 */

import { readModel } from "./model_checks.js";
import type { Network } from "./opponents.js";
import { CELLS, PLANES, SIDE, writePlanes } from "./planes.js";
import type { State } from "./rules.js";

/** An InferenceSession of any onnxruntime package. */
export interface OnnxSession {
  // The parameter is `any` because each package wants tensors of its own class.
  run(feeds: any): Promise<{ readonly [output: string]: { readonly data: unknown } | undefined }>;
}

/** The Tensor class of any onnxruntime package. */
export type OnnxTensorClass = new (type: "float32", data: Float32Array, dims: readonly number[]) => object;

/** What this package uses of `import * as ort from "onnxruntime-..."`. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options?: object): Promise<OnnxSession> };
  readonly Tensor: OnnxTensorClass;
}

/** A network that a session answers. Its logits come later: play with chooseMoveAsync. */
export function onnxNetwork(session: OnnxSession, Tensor: OnnxTensorClass): Network {
  return {
    async logits(state: State): Promise<Float32Array> {
      const planes = new Float32Array(PLANES * CELLS);
      writePlanes(state, planes, 1, CELLS);
      const answer = await session.run({ board: new Tensor("float32", planes, [1, PLANES, SIDE, SIDE]) });
      const logits = answer["policy"]?.data;
      if (!(logits instanceof Float32Array) || logits.length !== CELLS) {
        throw new TypeError(`the session's output "policy" is not ${CELLS} floats: is it another model?`);
      }
      return logits;
    },
  };
}

/**
 * Check a model, then open it in a runtime.
 *
 * @param file the name of the model, for messages.
 * @param model the bytes of elite.int8.onnx or elite.onnx.
 * @param options of InferenceSession.create.
 * @throws BadModel before the runtime sees a file that would break in it; else whatever the runtime throws.
 */
export async function openOnnxNetwork(
  runtime: OnnxRuntime,
  file: string,
  model: Uint8Array,
  options: object = {},
): Promise<Network> {
  readModel(file, model);
  return onnxNetwork(await runtime.InferenceSession.create(model, options), runtime.Tensor);
}

/**
 * openOnnxNetwork where the runtime may be missing: without one there is no network, and a notice that says why.
 *
 * @param load such as `() => import("onnxruntime-react-native")`.
 * @throws BadModel, as openOnnxNetwork.
 */
export async function tryOnnxNetwork(
  load: () => Promise<OnnxRuntime>,
  file: string,
  model: Uint8Array,
  options: object = {},
): Promise<{ network: Network | undefined; notice: string | undefined }> {
  readModel(file, model);
  try {
    return { network: await openOnnxNetwork(await load(), file, model, options), notice: undefined };
  } catch (error) {
    return { network: undefined, notice: `ONNX Runtime did not start, so it plays no part: ${String(error)}` };
  }
}
