/** Asks the worker for moves. */

import type { ChosenMove, State } from "../../src/index.js";
import type { Message, Question } from "./engine.worker.js";

export interface Ready {
  /** The names of the tiers that can play. */
  readonly tiers: readonly string[];
  /** Why a tier plays by another one, for the player. */
  readonly notice: string | undefined;
}

export class Engine {
  /** Rejects where there are no opponents at all; the message says why. */
  readonly ready: Promise<Ready>;
  readonly #worker = new Worker(new URL("./engine.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, { resolve(chosen: ChosenMove): void; reject(error: Error): void }>();
  #asked = 0;

  constructor() {
    this.ready = new Promise((resolve, reject) => {
      this.#worker.addEventListener("error", (event) => reject(new Error(event.message || "the worker did not start")));
      this.#worker.addEventListener("message", ({ data }: MessageEvent<Message>) => {
        if (data.kind === "ready") return resolve(data);
        if (data.kind === "failed") return reject(new Error(data.reason));
        const waiting = this.#waiting.get(data.id);
        this.#waiting.delete(data.id);
        if (data.kind === "answer") waiting?.resolve(data.chosen);
        else waiting?.reject(new Error(data.reason));
      });
    });
  }

  choose(state: State, tier: string, seed: bigint): Promise<ChosenMove> {
    const question: Question = { id: ++this.#asked, state, tier, seed };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.id, { resolve, reject });
      this.#worker.postMessage(question);
    });
  }
}
