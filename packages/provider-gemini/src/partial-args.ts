import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * The arguments of a call that arrive in pieces. Each piece has a JSON path and a value; a text continues at the
 * same path while its piece says so.
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

  /** Returns the arguments of the call, or `brokenArgs` if the pieces do not fit together or more were announced. */
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

/** Returns the steps of a path such as `$.rooms[0]['a name']`. Undefined for other values. */
function pathIn(path: unknown): (string | number)[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('$') || path.length < 2) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const found = STEP.exec(path);
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

/** Returns false if the path leads through a value of another kind. An array has no holes. */
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
