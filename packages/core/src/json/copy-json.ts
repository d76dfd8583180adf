import { findNonJson, isPlainObject, MAX_JSON_DEPTH } from './find-non-json.ts';
import type { JsonProblem } from './find-non-json.ts';
import type { Json, JsonObject } from './json.ts';
import { setOwn } from './own.ts';

/**
 * Copies values that should be JSON, in one walk that validates, copies and deeply freezes. Members that are undefined
 * are left out. What is not JSON ends in `fail` with the path, so that nothing half-copied is ever used.
 */
export class JsonCopier {
  /** About how many characters the values so far take as JSON text. Six times as many bytes are always enough for it. */
  size = 0;

  readonly #fail: (problem: JsonProblem) => never;

  constructor(fail: (problem: JsonProblem) => never) {
    this.#fail = fail;
  }

  /** A deeply frozen copy; `name` (with `member` behind a dot) is what the path in a problem begins with. */
  copy(value: unknown, name: string, member?: string): Json {
    const copied = this.#copy(value, 0);
    if (copied !== undefined) return copied;
    const path = member === undefined ? name : `${name}.${member}`;
    return this.#fail(findNonJson(value, path) ?? { path, problem: 'is not JSON' });
  }

  // Answers undefined for what is not JSON: the path is looked for afterwards, so that good values do not pay for it.
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
    // As long as it will be: an array that is pushed to takes room for 17 members at the first.
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
      const given = value[key];
      if (given === undefined) continue;
      const member = this.#copy(given, depth + 1);
      if (member === undefined) return undefined;
      this.size += key.length + 4;
      setOwn(copied, key, member);
    }
    return copied ? Object.freeze(copied) : NOTHING;
  }
}

/** The empty object of all copies: an event has four of them. */
export const NOTHING: JsonObject = Object.freeze({});

/** A copy that its owner may change, of a value that is known to be JSON. */
export function thawJson<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => thawJson(member)) as T;
  const copied: { [key: string]: Json } = {};
  for (const key of Object.keys(value)) setOwn(copied, key, thawJson((value as { [key: string]: Json })[key]!));
  return copied as T;
}

/** Freezes a value and all inside it, in place. What is frozen already is taken to be frozen all the way down. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** How many bytes a value takes as JSON text in UTF-8. */
export function jsonBytes(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
