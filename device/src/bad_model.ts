/** A file of the model that this package refuses to play with; the message says why, for the developer of the app. */
export class BadModel extends Error {
  override readonly name = "BadModel";

  /** @param file the file that is wrong; reason: what is wrong with it and what would be right. */
  constructor(
    readonly file: string,
    readonly reason: string,
  ) {
    super(`${file}: ${reason}`);
  }
}
