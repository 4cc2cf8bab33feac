/** A reader of protobuf's wire format: as much of it as an ONNX file needs. */

/** Bytes that are not what they should be. */
export class Malformed extends Error {
  override readonly name = "Malformed";
}

/** One field of a message: a whole number, or the bytes of a text, a nested message or packed numbers. */
export interface Field {
  readonly number: number;
  readonly value: number | Uint8Array;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The fields of a message, in the order of the file. Numbers in fixed width come as their bytes. Throws Malformed. */
export function readFields(message: Uint8Array): Field[] {
  const fields: Field[] = [];
  const cursor = { at: 0 };
  while (cursor.at < message.length) {
    const tag = readVarint(message, cursor);
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (number < 1) throw new Malformed(`field number ${number}`);
    if (wire === VARINT) fields.push({ number, value: readVarint(message, cursor) });
    else if (wire === FIXED64) fields.push({ number, value: take(message, cursor, 8) });
    else if (wire === FIXED32) fields.push({ number, value: take(message, cursor, 4) });
    else if (wire === BYTES) fields.push({ number, value: take(message, cursor, readVarint(message, cursor)) });
    else throw new Malformed(`wire type ${wire}`);
  }
  return fields;
}

/** The whole numbers of a repeated field, packed or one by one. Throws Malformed. */
export function readNumbers(fields: readonly Field[], number: number): number[] {
  return fields.flatMap((field) => {
    if (field.number !== number) return [];
    if (typeof field.value === "number") return [field.value];
    const packed: number[] = [];
    for (const cursor = { at: 0 }; cursor.at < field.value.length;) packed.push(readVarint(field.value, cursor));
    return packed;
  });
}

/** The last number of a field, or 0 where it is left out. Throws Malformed. */
export function readNumber(fields: readonly Field[], number: number): number {
  return readNumbers(fields, number).at(-1) ?? 0;
}

/** All nested messages (or texts, as bytes) of a field. Throws Malformed. */
export function readMessages(fields: readonly Field[], number: number): Uint8Array[] {
  return fields.flatMap((field) => {
    if (field.number !== number) return [];
    if (typeof field.value === "number") throw new Malformed(`field ${number} is a number`);
    return [field.value];
  });
}

/** All texts of a field. Names in ONNX files are ASCII; another byte comes as the character of that code. */
export function readTexts(fields: readonly Field[], number: number): string[] {
  return readMessages(fields, number).map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** The last text of a field, or "". */
export function readText(fields: readonly Field[], number: number): string {
  return readTexts(fields, number).at(-1) ?? "";
}

function readVarint(message: Uint8Array, cursor: { at: number }): number {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = message[cursor.at++];
    if (byte === undefined) throw new Malformed("it ends within a number");
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return Number(BigInt.asIntN(64, value));
  }
  throw new Malformed("a number of more than 64 bits");
}

function take(message: Uint8Array, cursor: { at: number }, length: number): Uint8Array {
  const end = cursor.at + length;
  if (length < 0 || end > message.length) throw new Malformed("it ends within a field");
  const bytes = message.subarray(cursor.at, end);
  cursor.at = end;
  return bytes;
}
