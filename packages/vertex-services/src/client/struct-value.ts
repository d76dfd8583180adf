import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/** Key of a value that is stored as JSON text. */
const TEXT_KEY = 'thole:json';
/** Google's protocol buffers allow about 100 nested messages, and each level of a value takes three. */
const MAX_DEPTH = 20;

/**
 * Returns a value that Vertex AI returns unchanged. Its JSON values are protocol buffers: they cannot contain lone
 * surrogates, NUL or deep nesting. Such a value is stored as JSON text.
 */
export function encodeValue(value: Json): Json {
  return isSafe(value, 0) ? value : { [TEXT_KEY]: JSON.stringify(value) };
}

/** Returns the original value of an encoded value. */
export function decodeValue(value: Json): Json {
  const text = isPlainObject(value) ? value[TEXT_KEY] : undefined;
  return typeof text === 'string' ? (JSON.parse(text) as Json) : value;
}

/** Returns a copy for fields that only other programs read: replaces lone surrogates and NUL, and deep values are null. */
export function readableValue(value: Json, depth: number = 0): Json {
  if (typeof value === 'string') return readableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => readableValue(each, depth + 1));
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) setOwn(copy, readableText(key), readableValue(member, depth + 1));
  return copy;
}

/** Returns a text that protocol buffers can contain: replaces lone surrogates and NUL. */
export function readableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** True if protocol buffers can contain the text. */
export function isSafeText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

function isSafe(value: Json, depth: number): boolean {
  if (typeof value === 'string') return isSafeText(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((each) => isSafe(each, depth + 1));
  return Object.entries(value).every(
    ([key, member]) => key !== TEXT_KEY && isSafeText(key) && isSafe(member, depth + 1),
  );
}
