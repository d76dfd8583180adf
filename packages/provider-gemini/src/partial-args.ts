import { isPlainObject, setOwn } from '@thole/core/kit';
import type { Json, JsonObject } from '@thole/core';

/**
 * Collects the arguments of a call that arrives in pieces. Each piece has a JSON path and a value. After a piece with
 * `willContinue`, the next text at the same path is appended.
 */
export class PartialArgs {
  readonly #args: JsonObject = {};
  readonly #pieces: Json[] = [];
  readonly #unfinished = new Set<string>();
  #isBroken = false;

  add(piece: unknown): void {
    this.#pieces.push(piece as Json);
    if (!isPlainObject(piece)) return void (this.#isBroken = true);
    const path = parsePath(piece['jsonPath']);
    if (!path) return void (this.#isBroken = true);
    const value = valueOf(piece);
    const key = path.join('\0');
    if (value !== undefined && !this.#set(path, value, this.#unfinished.has(key))) this.#isBroken = true;
    if (piece['willContinue'] === true) this.#unfinished.add(key);
    else this.#unfinished.delete(key);
  }

  /** Returns the arguments, or `brokenArgs` if the pieces do not fit together or the last piece is missing. */
  toArgs(isCutOff: boolean): { args: JsonObject; brokenArgs?: string } {
    if (!this.#isBroken && !isCutOff) return { args: this.#args };
    return { args: {}, brokenArgs: JSON.stringify(this.#pieces) };
  }

  #set(path: readonly (string | number)[], value: Json, isContinued: boolean): boolean {
    let holder: Json = this.#args;
    for (const [i, step] of path.entries()) {
      const isLast = i === path.length - 1;
      const previous: Json | undefined = memberAt(holder, step);
      const next: Json = isLast
        ? isContinued && typeof previous === 'string' && typeof value === 'string'
          ? previous + value
          : value
        : (previous ?? (typeof path[i + 1] === 'number' ? [] : {}));
      if (!setMember(holder, step, next)) return false;
      holder = next;
    }
    return true;
  }
}

function valueOf(piece: { [key: string]: unknown }): Json | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === 'string') return stringValue;
  if (typeof numberValue === 'number') return numberValue;
  if (typeof boolValue === 'boolean') return boolValue;
  return 'nullValue' in piece ? null : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** Returns the steps of a path such as `$.rooms[0]['a name']`. Undefined for other values. */
function parsePath(path: unknown): (string | number)[] | undefined {
  if (typeof path !== 'string' || !path.startsWith('$') || path.length < 2) return undefined;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (!match) return undefined;
    const [, name, index, single, double] = match;
    if (index === undefined) steps.push(name ?? (single ?? double)!.replaceAll(/\\(.)/g, '$1'));
    else steps.push(Number(index));
  }
  return steps;
}

function memberAt(holder: Json, step: string | number): Json | undefined {
  if (typeof step === 'number') return Array.isArray(holder) ? holder[step] : undefined;
  return isPlainObject(holder) && Object.hasOwn(holder, step) ? (holder[step] as Json) : undefined;
}

/** Returns false if the holder is neither an object nor an array, or if the array would get a hole. */
function setMember(holder: Json, step: string | number, value: Json): boolean {
  if (typeof step === 'number') {
    if (!Array.isArray(holder) || step > holder.length) return false;
    holder[step] = value;
    return true;
  }
  if (!isPlainObject(holder)) return false;
  setOwn(holder as JsonObject, step, value);
  return true;
}
