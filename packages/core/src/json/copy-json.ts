import { findNonJson, isPlainObject, MAX_JSON_DEPTH } from './find-non-json.ts';
import type { JsonProblem } from './find-non-json.ts';
import type { Json, JsonObject } from './json.ts';
import { setOwn } from './own.ts';

/**
 * Copies JSON values: validates, copies and deeply freezes them in one pass. Members that are undefined are left
 * out. For a value that is not JSON it calls `fail` with the path, so that no partial copy is used.
 */
export class JsonCopier {
  /**
   * Approximate length of all copied values as JSON text, in characters. The UTF-8 text has at most six bytes per
   * character.
   */
  size = 0;

  readonly #fail: (problem: JsonProblem) => never;

  constructor(fail: (problem: JsonProblem) => never) {
    this.#fail = fail;
  }

  /** Returns a deeply frozen copy. `name` (with `member` after a dot) is the start of the path in a problem. */
  copy(value: unknown, name: string, member?: string): Json {
    const copied = this.#copy(value, 0);
    if (copied !== undefined) return copied;
    const path = member === undefined ? name : `${name}.${member}`;
    return this.#fail(findNonJson(value, path) ?? { path, problem: 'is not JSON' });
  }

  // Returns undefined for a value that is not JSON. The path is searched afterwards, so that it costs nothing for valid
  // values.
  #copy(value: unknown, depth: number): Json | undefined {
    switch (typeof value) {
      case 'string':
        this.size += value.length + 2;
        return value;
      case 'boolean':
        this.size += 5;
        return value;
      case 'number':
        this.size += 5;
        return Number.isFinite(value) ? value + 0 : undefined;
      case 'object':
        if (value === null) {
          this.size += 5;
          return null;
        }
        if (depth >= MAX_JSON_DEPTH) return undefined;
        return Array.isArray(value) ? this.#copyArray(value, depth) : this.#copyObject(value, depth);
      default:
        return undefined;
    }
  }

  #copyArray(value: readonly unknown[], depth: number): Json | undefined {
    const copied: Json[] = [];
    // Set at once, because an array that grows by push reserves room for 17 members.
    copied.length = value.length;
    this.size += 2;
    for (let i = 0; i < value.length; i++) {
      const member = this.#copy(value[i], depth + 1);
      if (member === undefined) return undefined;
      copied[i] = member;
    }
    return Object.freeze(copied) as Json[];
  }

  #copyObject(value: object, depth: number): Json | undefined {
    if (!isPlainObject(value)) return undefined;
    this.size += 2;
    let copied: { [key: string]: Json } | undefined;
    for (const key in value) {
      if (!Object.hasOwn(value, key)) continue;
      copied ??= {};
      const original = value[key];
      if (original === undefined) continue;
      const member = this.#copy(original, depth + 1);
      if (member === undefined) return undefined;
      this.size += key.length + 4;
      setOwn(copied, key, member);
    }
    return copied ? Object.freeze(copied) : EMPTY_OBJECT;
  }
}

/** The empty object that all copies share. An event usually contains four. */
export const EMPTY_OBJECT: JsonObject = Object.freeze({});

/** Returns a mutable copy of a value that is known to be JSON. */
export function thawJson<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => thawJson(member)) as T;
  const copied: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) setOwn(copied, key, thawJson((value as { [key: string]: Json })[key]!));
  return copied as T;
}

/** Freezes a value and everything in it, in place. A frozen value is assumed to be deeply frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** Returns the size of a value as JSON text in UTF-8, in bytes. */
export function jsonBytes(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
