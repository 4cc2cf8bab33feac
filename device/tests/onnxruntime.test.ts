/** The adapter over the runtimes that are installed here, against the plain pass. */

import { beforeAll, describe, expect, test } from "vitest";

import {
  chooseMove,
  chooseMoveAsync,
  IntegerNetwork,
  loadOpponents,
  newGame,
  onnxNetwork,
  openOnnxNetwork,
  tryOnnxNetwork,
  type Network,
  type OnnxRuntime,
} from "../src/index.js";
import { floatModel, golden, int8Model, tiersText } from "./release.js";

const positions = golden().filter((_, index) => index % 10 === 0);
const plain = new IntegerNetwork(int8Model());

const RUNTIMES: Array<[name: string, load: () => Promise<OnnxRuntime>]> = [
  ["onnxruntime-node", async () => (await import("onnxruntime-node")).default],
  [
    "onnxruntime-web",
    async () => {
      const runtime = await import("onnxruntime-web/wasm");
      runtime.env.wasm.numThreads = 1;
      return runtime;
    },
  ],
];

describe.each(RUNTIMES)("%s", (_, load) => {
  let int8: Network;
  let float: Network;
  beforeAll(async () => {
    int8 = await openOnnxNetwork(await load(), "elite.int8.onnx", int8Model());
    float = await openOnnxNetwork(await load(), "elite.onnx", floatModel());
  });

  test("gives the plain pass's logits of elite.int8.onnx, to the last bit", async () => {
    for (const { board, cells } of positions) {
      const state = newGame(board, cells);
      expect(await int8.logits(state)).toEqual(plain.logits(state));
    }
  });

  test("gives the logits of elite.onnx within 1e-5", async () => {
    for (const { board, cells, logits } of positions) {
      const found = await float.logits(newGame(board, cells));
      expect(Math.max(...logits.map((right, index) => Math.abs(right - found[index]!)))).toBeLessThan(1e-5);
    }
  });

  test("plays elite", async () => {
    const files = { tiers: tiersText(), int8Model: int8Model() };
    const [here, there] = [loadOpponents(files), loadOpponents({ ...files, runtime: int8 })];
    const { board, cells } = positions.find(({ moves }) => moves.length > 5)!;
    const state = newGame(board, cells);
    expect(await chooseMoveAsync(there, state, "elite", 0n)).toEqual(chooseMove(here, state, "elite", 0n));
  });

  test("is not missed where it is there", async () => {
    const { network, notice } = await tryOnnxNetwork(load, "elite.int8.onnx", int8Model());
    expect([network === undefined, notice]).toEqual([false, undefined]);
  });
});

describe("a runtime that is missing", () => {
  test("leaves the choice to the plain pass or to the fallback, with a notice", async () => {
    const missing = (): Promise<OnnxRuntime> => Promise.reject(new Error("Cannot find native module"));
    const { network, notice } = await tryOnnxNetwork(missing, "elite.int8.onnx", int8Model());
    expect(notice).toBe("ONNX Runtime did not start, so it plays no part: Error: Cannot find native module");
    const state = newGame(8);
    const [plainly, not] = [{ int8Model: int8Model() }, {}].map((files) =>
      loadOpponents({ tiers: tiersText(), runtime: network, ...files }),
    );
    expect((await chooseMoveAsync(plainly!, state, "elite", 0n)).playedBy).toBe("elite");
    expect(await chooseMoveAsync(not!, state, "elite", 0n)).toMatchObject({
      playedBy: "fallback",
      notice: expect.stringContaining("No network") as string,
    });
  });

  test("a session with other outputs is told apart", async () => {
    const network = onnxNetwork({ run: async () => ({ policy: { data: new Float32Array(9) } }) }, Object as never);
    await expect(network.logits(newGame(4))).rejects.toThrow('output "policy" is not 64 floats');
  });
});
