const LONGEST = 2000; // characters of a message: names in a broken file may be of any length

/** The text as far as somebody reads it. */
export function cut(text: string, longest: number = LONGEST): string {
  return text.length > longest ? text.slice(0, longest - 3) + "..." : text;
}

/** A file of the model that this package refuses to play with; the message says why, for the developer of the app. */
export class BadModel extends Error {
  override readonly name = "BadModel";

  /** @param file the file that is wrong; reason: what is wrong with it and what would be right. */
  constructor(
    readonly file: string,
    readonly reason: string,
  ) {
    super(`${file}: ${cut(reason)}`);
  }
}
