/** The network in plain TypeScript: an integer forward pass over the weights of elite.int8.onnx. */

import { BadModel } from "./bad_model.js";
import type { State } from "./rules.js";

export class IntegerNetwork {
  /** @throws BadModel */
  constructor(model: Uint8Array) {
    void model;
    throw new BadModel("elite.int8.onnx", "this version plays the linear tiers only");
  }

  /** The 64 logits of a position on the 8 x 8 grid. */
  logits(state: State): Float32Array {
    void state;
    throw new Error("not reached");
  }
}
