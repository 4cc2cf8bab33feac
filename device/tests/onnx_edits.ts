/** Broken models, made by changing single fields of a good one. */

import { readFields, type Field } from "../src/protobuf.js";

/** One step into a message: the field's number and, of several, which (default: the first). */
export type Step = readonly [number: number, index?: number];
/** What to put in the field's place; an empty list takes it away. */
export type Edit = (value: Field["value"]) => Array<Field["value"]>;

/** The message with the field at the end of `path` edited. */
export function edited(message: Uint8Array, path: readonly Step[], edit: Edit): Uint8Array {
  const [[number, index = 0] = [0], ...rest] = path;
  let seen = 0;
  let found = false;
  const fields = readFields(message).flatMap((field): Field[] => {
    if (field.number !== number || seen++ !== index) return [field];
    found = true;
    if (rest.length === 0) return edit(field.value).map((value) => ({ number, value }));
    return [{ number, value: edited(field.value as Uint8Array, rest, edit) }];
  });
  if (!found) throw new Error(`no field ${number} number ${index} here`);
  return encode(fields);
}

/** The message at `path` with a field added at its end. */
export function added(message: Uint8Array, path: readonly Step[], number: number, value: Field["value"]): Uint8Array {
  if (path.length > 0) return edited(message, path, (inner) => [added(inner as Uint8Array, [], number, value)]);
  return encode([...readFields(message), { number, value }]);
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function floats(...values: number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(values).buffer);
}

/** The index of the field `number` whose inner field `key` has that text. */
export function indexOf(message: Uint8Array, number: number, key: number, text: string): number {
  const wanted = bytesOf(text).join();
  const all = readFields(message).filter((field) => field.number === number);
  const found = all.findIndex(({ value }) =>
    readFields(value as Uint8Array).some(
      (inner) => inner.number === key && typeof inner.value !== "number" && inner.value.join() === wanted,
    ),
  );
  if (found < 0) throw new Error(`nothing called ${text}`);
  return found;
}

export function encode(fields: readonly Field[]): Uint8Array {
  const out: number[] = [];
  for (const { number, value } of fields) {
    if (typeof value === "number") {
      varint(out, number * 8);
      varint(out, value);
    } else {
      varint(out, number * 8 + 2);
      varint(out, value.length);
      for (const byte of value) out.push(byte);
    }
  }
  return Uint8Array.from(out);
}

function varint(out: number[], value: number): void {
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) out.push(Number(rest & 127n) | 128);
  out.push(Number(rest));
}
