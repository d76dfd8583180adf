import type { Json, JsonObject } from '@thole/core';

/** Joins the pieces of an object: lists are concatenated, other values replace earlier ones. Takes linear time. */
export class JoinedLists {
  readonly #lists = new Map<string, Json[]>();
  #rest: JsonObject = {};

  add(piece: JsonObject): void {
    for (const [name, value] of Object.entries(piece)) {
      if (!Array.isArray(value)) {
        this.#rest = { ...this.#rest, [name]: value };
        continue;
      }
      const list = this.#lists.get(name);
      if (list) for (const each of value) list.push(each);
      else this.#lists.set(name, [...value]);
    }
  }

  toObject(): JsonObject {
    return { ...this.#rest, ...Object.fromEntries(this.#lists) };
  }
}
