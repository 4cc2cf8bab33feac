/** The opponents of a game: loaded once, then asked for one move at a time. */

import { BadModel } from "./bad_model.js";
import { drawIndex, dotInOrder, softmaxWeights } from "./exact.js";
import { WEIGHED, featuresOf } from "./features.js";
import { IntegerNetwork } from "./integer_network.js";
import { gridCell } from "./planes.js";
import { IllegalMove, legalMoves, type State } from "./rules.js";
import { SplitMix64 } from "./splitmix64.js";
import { readTiers, type Tier } from "./tiers.js";

/** Anything that gives the 64 logits of a position, on the 8 x 8 grid: cell (row, column) has logit 8 * row + column. */
export interface Network {
  logits(state: State): Float32Array | Promise<Float32Array>;
}

/** What `loadOpponents` needs. */
export interface OpponentFiles {
  /** The text of tiers.json. */
  tiers: string;
  /** The bytes of elite.int8.onnx: network tiers then play in plain TypeScript. */
  int8Model?: Uint8Array | undefined;
  /** A network that runs elsewhere (`onnxNetwork`); takes the place of int8Model. */
  runtime?: Network | undefined;
}

/** Tiers that are ready to play. */
export interface Opponents {
  readonly tiers: ReadonlyMap<string, Tier>;
  /** Undefined where no model was given: network tiers then play as the tier `fallback`. */
  readonly network: Network | undefined;
}

/** A move, and what a designer wants to see of the thought behind it. */
export interface ChosenMove {
  /** row * n + column. */
  cell: number;
  /** The score of every legal cell, ascending by cell. Logits for a network, sums of weighed features for the others. */
  scores: Map<number, number>;
  /** Of the distribution that the cell was drawn from, in nats: 0 where the tier always plays the best cell. */
  entropy: number;
  /** The tier that really chose: the one asked for, or "fallback" where that one needs a network and none is there. */
  playedBy: string;
  /** Said to the developer where another tier than the one asked for played. */
  notice?: string;
}

/** A question to the opponents that has no answer, such as the name of a tier that is not there. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

export const FALLBACK = "fallback";

/**
 * Opponents from the files of a release. Without a model the network tiers are played by the tier `fallback`.
 *
 * @throws BadModel naming the file, what is wrong in it and what would be right.
 */
export function loadOpponents(files: OpponentFiles): Opponents {
  const tiers = readTiers(files.tiers);
  const networkTier = [...tiers].find(([, tier]) => tier.kind === "network");
  let network = files.runtime;
  if (network === undefined && files.int8Model !== undefined) network = new IntegerNetwork(files.int8Model);
  if (networkTier !== undefined && network === undefined && !canFallBack(tiers)) {
    const missing = `the tier "${networkTier[0]}" needs a network and there is no tier "${FALLBACK}" in its place`;
    throw new BadModel("tiers.json", `${missing}; pass int8Model`);
  }
  return { tiers, network };
}

/**
 * The move of a tier. The same position, tier and seed give the same move on every device.
 *
 * @param tier a name in tiers.json.
 * @param seed of a sampled choice; a new one for every move of a game. Tiers that play their best move ignore it.
 * @throws IllegalMove where the game is over. BadRequest: an unknown tier, or a network that answers later.
 */
export function chooseMove(opponents: Opponents, state: State, tier: string, seed: bigint): ChosenMove {
  const turn = prepare(opponents, state, tier);
  if (turn.tier.kind !== "network") return decide(turn, localScores(turn.tier, state, turn.moves), seed);
  const logits = opponents.network!.logits(state);
  if (!(logits instanceof Float32Array)) throw new BadRequest("this network answers later: use chooseMoveAsync");
  return decide(turn, logitsOf(state, turn.moves, logits), seed);
}

/** chooseMove for a network that answers later, such as one of onnxruntime; it also rejects with what that throws. */
export async function chooseMoveAsync(
  opponents: Opponents,
  state: State,
  tier: string,
  seed: bigint,
): Promise<ChosenMove> {
  const turn = prepare(opponents, state, tier);
  if (turn.tier.kind !== "network") return decide(turn, localScores(turn.tier, state, turn.moves), seed);
  return decide(turn, logitsOf(state, turn.moves, await opponents.network!.logits(state)), seed);
}

/** The scores of the cells `moves`, in doubles, by a tier that needs no network. */
export function localScores(
  tier: Exclude<Tier, { kind: "network" }>,
  state: State,
  moves: readonly number[],
): number[] {
  if (tier.kind === "random") return moves.map(() => 0);
  const rows = featuresOf(state, moves);
  const weights = tier.kind === "linear" ? tier.weights : weightsAt(tier.early, tier.late, rows[0]?.[WEIGHED] ?? 0);
  return rows.map((row) => dotInOrder(row, weights, WEIGHED));
}

interface Turn {
  readonly tier: Tier;
  readonly moves: readonly number[];
  readonly playedBy: string;
  readonly notice?: string;
}

function prepare(opponents: Opponents, state: State, name: string): Turn {
  const tier = opponents.tiers.get(name);
  if (tier === undefined) {
    throw new BadRequest(`there is no tier "${name}"; tiers.json has ${[...opponents.tiers.keys()].join(", ")}`);
  }
  const moves = legalMoves(state);
  if (moves.length === 0) throw new IllegalMove("the game is over: no cell is empty");
  if (tier.kind !== "network" || opponents.network !== undefined) return { tier, moves, playedBy: name };
  const notice = `No network is loaded, so the tier "${FALLBACK}" plays in place of "${name}". Pass int8Model.`;
  return { tier: opponents.tiers.get(FALLBACK)!, moves, playedBy: FALLBACK, notice };
}

function decide(turn: Turn, scores: readonly number[], seed: bigint): ChosenMove {
  const { tier, moves } = turn;
  let cell: number;
  let entropy = 0;
  if (tier.choice === "argmax") {
    cell = moves[scores.reduce((best, score, index) => (score > scores[best]! ? index : best), 0)]!;
  } else {
    const least = tier.within > 0 ? Math.max(...scores) - tier.within : -Infinity;
    const candidates = moves.filter((_, index) => scores[index]! >= least);
    const held = scores.filter((score) => score >= least);
    const weights = softmaxWeights(held, tier.temperature);
    cell = candidates[drawIndex(weights, new SplitMix64(seed).uniform())]!;
    entropy = entropyOf(weights);
  }
  const chosen: ChosenMove = {
    cell,
    scores: new Map(moves.map((move, index) => [move, scores[index]!])),
    entropy,
    playedBy: turn.playedBy,
  };
  return turn.notice === undefined ? chosen : { ...chosen, notice: turn.notice };
}

/** For people to look at: its last bits may differ between engines, as Math.log does. */
function entropyOf(weights: readonly number[]): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.reduce((sum, weight) => (weight > 0 ? sum - (weight / total) * Math.log(weight / total) : sum), 0);
}

function logitsOf(state: State, moves: readonly number[], logits: Float32Array): number[] {
  return moves.map((cell) => logits[gridCell(state.board, cell)]!);
}

function weightsAt(early: Float64Array, late: Float64Array, progress: number): Float64Array {
  return early.map((weight, index) => weight * (1 - progress) + late[index]! * progress);
}

function canFallBack(tiers: ReadonlyMap<string, Tier>): boolean {
  const tier = tiers.get(FALLBACK);
  return tier !== undefined && tier.kind !== "network";
}
