import type { Json, JsonObject } from '@thole/core';

/** An object that arrives in pieces: lists are joined; of other values, the last one counts. Takes linear time. */
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

  whole(): JsonObject {
    return { ...this.#rest, ...Object.fromEntries(this.#lists) };
  }
}
