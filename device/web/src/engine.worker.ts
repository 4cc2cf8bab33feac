/** The opponents, off the page's thread: a move of theirs never holds up a frame. */

import { BadModel, chooseMove, loadOpponents, type ChosenMove, type Opponents, type State } from "../../src/index.js";

export interface Question {
  readonly id: number;
  readonly state: State;
  readonly tier: string;
  readonly seed: bigint;
}

export type Message =
  | { readonly kind: "ready"; readonly tiers: readonly string[]; readonly notice: string | undefined }
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "answer"; readonly id: number; readonly chosen: ChosenMove }
  | { readonly kind: "refused"; readonly id: number; readonly reason: string };

// Of these two files the bundler takes those that are there.
const texts = import.meta.glob<string>("#release/tiers.json", { query: "?raw", import: "default", eager: true });
const models = import.meta.glob<string>("#release/*.int8.onnx", { query: "?url", import: "default", eager: true });

const send = (message: Message): void => self.postMessage(message);

async function load(): Promise<Opponents | undefined> {
  const [tiers] = Object.values(texts);
  if (tiers === undefined) {
    send({ kind: "failed", reason: "the page was built without tiers.json" });
    return undefined;
  }
  try {
    const linear = loadOpponents({ tiers });
    const file = [...linear.tiers.values()].find((tier) => tier.kind === "network")?.int8Model;
    const { opponents, notice } = file === undefined ? { opponents: linear } : await addNetwork(linear, tiers, file);
    send({ kind: "ready", tiers: [...opponents.tiers.keys()], notice });
    return opponents;
  } catch (error) {
    if (!(error instanceof BadModel)) throw error;
    send({ kind: "failed", reason: error.message });
    return undefined;
  }
}

/** With the network where it can be had, else with the reason why not. */
async function addNetwork(
  linear: Opponents,
  tiers: string,
  file: string,
): Promise<{ opponents: Opponents; notice?: string }> {
  const without = (reason: string) => ({ opponents: linear, notice: `${reason}, so Fallback plays in Elite's place.` });
  const address = Object.entries(models).find(([path]) => path.endsWith(`/${file}`))?.[1];
  if (address === undefined) return without(`This page was built without Elite's network (${file})`);
  try {
    const response = await fetch(new URL(address, self.location.href));
    if (!response.ok) return without(`Elite's network could not be loaded (HTTP ${response.status})`);
    const int8Model = new Uint8Array(await response.arrayBuffer());
    return { opponents: loadOpponents({ tiers, int8Model }) };
  } catch (error) {
    return without(`Elite's network could not be used (${error instanceof Error ? error.message : String(error)})`);
  }
}

const loading = load();

self.addEventListener("message", async ({ data }: MessageEvent<Question>) => {
  const { id, state, tier, seed } = data;
  try {
    const opponents = await loading;
    if (opponents === undefined) throw new Error("no opponents are loaded");
    send({ kind: "answer", id, chosen: chooseMove(opponents, state, tier, seed) });
  } catch (error) {
    send({ kind: "refused", id, reason: String(error) });
  }
});
