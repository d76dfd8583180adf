import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * The arguments of a call that come in pieces: each has a JSON path and a value; a text goes on at the same path while its
 * piece says so.
 */
export class PartialArgs {
  readonly #args: JsonObject = {};
  readonly #pieces: Json[] = [];
  readonly #unfinished = new Set<string>();
  #isBroken = false;

  add(piece: unknown): void {
    this.#pieces.push(piece as Json);
    if (!isPlainObject(piece)) return void (this.#isBroken = true);
    const path = pathIn(piece['jsonPath']);
    if (!path) return void (this.#isBroken = true);
    const value = valueIn(piece);
    const key = path.join('\0');
    if (value !== undefined && !this.#set(path, value, this.#unfinished.has(key))) this.#isBroken = true;
    if (piece['willContinue'] === true) this.#unfinished.add(key);
    else this.#unfinished.delete(key);
  }

  /** As a call has them; `brokenArgs` where the pieces do not fit together, or more of them was announced. */
  whole(isCutOff: boolean): { args: JsonObject; brokenArgs?: string } {
    if (!this.#isBroken && !isCutOff) return { args: this.#args };
    return { args: {}, brokenArgs: JSON.stringify(this.#pieces) };
  }

  #set(path: readonly (string | number)[], value: Json, goesOn: boolean): boolean {
    let holder: Json = this.#args;
    for (const [i, step] of path.entries()) {
      const isLast = i === path.length - 1;
      const before: Json | undefined = member(holder, step);
      const next: Json = isLast
        ? goesOn && typeof before === 'string' && typeof value === 'string'
          ? before + value
          : value
        : (before ?? (typeof path[i + 1] === 'number' ? [] : {}));
      if (!put(holder, step, next)) return false;
      holder = next;
    }
    return true;
  }
}

function valueIn(piece: { [key: string]: unknown }): Json | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return 'nullValue' in piece ? null : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The steps of a path such as `$.rooms[0]['a name']`; undefined where it is another kind of path, or none. */
function pathIn(told: unknown): (string | number)[] | undefined {
  if (typeof told !== 'string' || !told.startsWith('$') || told.length < 2) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < told.length) {
    const found = STEP.exec(told);
    if (!found) return undefined;
    const [, name, index, single, double] = found;
    if (index === undefined) steps.push(name ?? (single ?? double)!.replaceAll(/\\(.)/g, '$1'));
    else steps.push(Number(index));
  }
  return steps;
}

function member(holder: Json, step: string | number): Json | undefined {
  if (typeof step === 'number') return Array.isArray(holder) ? holder[step] : undefined;
  return isPlainObject(holder) && Object.hasOwn(holder, step) ? (holder[step] as Json) : undefined;
}

/** False where the path leads through something else than it says. An array has no holes. */
function put(holder: Json, step: string | number, value: Json): boolean {
  if (typeof step === 'number') {
    if (!Array.isArray(holder) || step > holder.length) return false;
    holder[step] = value;
    return true;
  }
  if (!isPlainObject(holder)) return false;
  setOwn(holder as JsonObject, step, value);
  return true;
}
