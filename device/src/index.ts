/** Cell Division and its opponents, for an app. Everything an app needs is exported here. */

export { BadModel } from "./bad_model.js";
export { expShared } from "./exact.js";
export { DENOMINATORS, FEATURES, features } from "./features.js";
export { BadGame, exportGame, importGames, replay, type GameRecord } from "./game_record.js";
export { IntegerNetwork } from "./integer_network.js";
export {
  onnxNetwork,
  openOnnxNetwork,
  tryOnnxNetwork,
  type OnnxRuntime,
  type OnnxSession,
  type OnnxTensorClass,
} from "./onnxruntime_adapter.js";
export {
  BadRequest,
  chooseMove,
  chooseMoveAsync,
  loadOpponents,
  type ChosenMove,
  type Network,
  type OpponentFiles,
  type Opponents,
} from "./opponents.js";
export {
  BadPosition,
  BOARDS,
  IllegalMove,
  isOver,
  legalMoves,
  newGame,
  play,
  scores,
  winner,
  type Player,
  type State,
} from "./rules.js";
export { SplitMix64 } from "./splitmix64.js";
export type { Tier } from "./tiers.js";
