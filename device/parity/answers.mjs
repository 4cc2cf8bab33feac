/**
 * What this runtime answers to positions: the same code in Node and on a page of a browser.
 *
 * @typedef {{board: number, cells: number[], to_move: number, seeds: string[]}} Position
 */

/** Raised for files that are refused: the runtime itself is there. */
export class Refused extends Error {}

/**
 * Everything that is asked of the positions.
 *
 * @param device the package, as imported here.
 * @param release {tiers: string, int8: Uint8Array, float: Uint8Array}, the files' contents.
 * @param {Position[]} positions
 * @param runtime an onnxruntime package, or undefined for the plain pass.
 * @returns one answer a position.
 */
export async function answerAll(device, release, positions, runtime) {
  const { opponents, int8, float } = await open(device, release, runtime);
  const answers = [];
  const samplers = samplersOf(opponents);
  for (const position of positions) {
    const state = read(device, position);
    const moves = device.legalMoves(state);
    const scores = {};
    for (const [name, tier] of opponents.tiers) {
      if (tier.kind !== "linear" && tier.kind !== "switching") continue;
      scores[name] = [...device.chooseMove(opponents, state, name, 0n).scores.values()];
    }
    answers.push({
      features: moves.map((cell) => Array.from(device.features(state, cell))),
      int8_logits: Array.from(await int8.logits(state)),
      logits: float === undefined ? null : Array.from(await float.logits(state)),
      sampled:
        samplers.length === 0
          ? null
          : position.seeds.map((seed, index) => {
              return device.chooseMove(opponents, state, samplers[index % samplers.length], BigInt(seed)).cell;
            }),
      scores,
    });
  }
  return answers;
}

/** The tiers that draw with the position's seeds, in turn: easy first, then the others by name; none without easy. */
function samplersOf({ tiers }) {
  const draws = ([, tier]) => (tier.kind === "linear" || tier.kind === "switching") && tier.choice === "sample";
  const names = [...tiers].filter(draws).map(([name]) => name);
  return names.includes("easy") ? ["easy", ...names.filter((name) => name !== "easy").sort()] : [];
}

/**
 * How long a move takes, one after the other, on the largest board among the positions.
 *
 * @returns the model, and every tier -> {median, p99} in milliseconds; empty where there is no position.
 */
export async function time(device, release, positions, runtime) {
  if (positions.length === 0) return {};
  const { opponents, int8 } = await open(device, release, runtime);
  const largest = Math.max(...positions.map((position) => position.board));
  const states = positions
    .filter((position) => position.board === largest)
    .slice(0, 500)
    .map((position) => device.newGame(position.board, position.cells));
  const milliseconds = { "elite.int8.onnx": await measure(states, (state) => int8.logits(state)) };
  for (const name of opponents.tiers.keys()) {
    milliseconds[name] = await measure(states, (state) => device.chooseMoveAsync(opponents, state, name, 1n));
  }
  return milliseconds;
}

function read(device, position) {
  try {
    const state = device.newGame(position.board, position.cells);
    if (state.toMove === position.to_move) return state;
    throw new Refused(`to_move is ${position.to_move}; by the stones on the board it is ${state.toMove}`);
  } catch (error) {
    throw new Refused(`the position ${JSON.stringify(position)}: ${error.message}`);
  }
}

async function open(device, release, runtime) {
  try {
    if (runtime === undefined) {
      const int8 = new device.IntegerNetwork(release.int8);
      return { int8, float: undefined, opponents: device.loadOpponents({ tiers: release.tiers, runtime: int8 }) };
    }
    const int8 = await device.openOnnxNetwork(runtime, "elite.int8.onnx", release.int8);
    const float = await device.openOnnxNetwork(runtime, "elite.onnx", release.float);
    return { int8, float, opponents: device.loadOpponents({ tiers: release.tiers, runtime: int8 }) };
  } catch (error) {
    if (error instanceof device.BadModel) throw new Refused(error.message);
    throw error;
  }
}

async function measure(states, answer) {
  for (const state of states.slice(0, 20)) await answer(state);
  const spent = [];
  for (const state of states) {
    const start = performance.now();
    await answer(state);
    spent.push(performance.now() - start);
  }
  spent.sort((a, b) => a - b);
  return { median: spent[Math.floor(spent.length / 2)], p99: spent[Math.floor(spent.length * 0.99)] };
}
