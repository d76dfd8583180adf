import { failInvalidJson, invalidInput } from '../errors/invalid-input.ts';
import { TholeError } from '../errors/thole-error.ts';
import { JsonCopier } from '../json/copy-json.ts';
import { isPlainObject } from '../json/find-non-json.ts';
import type { Json } from '../json/json.ts';
import { getOwn, setOwn } from '../json/own.ts';
import { applyDelta, sortByKey, StatePrefix } from './scopes.ts';
import type { StateDelta, StateMap } from './scopes.ts';

/** Read access to state. */
export interface ReadonlyState {
  /**
   * Returns the frozen value, or the fallback if the key does not exist. The type is not checked: pass it if the type of
   * the fallback is not the type of the value.
   */
  get<T extends Json = Json>(key: string): T | undefined;
  // A generic fallback alone would be inferred as a literal: `get('tries', 0)` would have the type 0.
  get(key: string, fallback: string): string;
  get(key: string, fallback: number): number;
  get(key: string, fallback: boolean): boolean;
  get<T extends Json = Json>(key: string, fallback: T): T;
  has(key: string): boolean;
  /** Returns a new map of all keys with prefixes, sorted by key. */
  toRecord(): StateMap;
}

/** The state that a `State` reads below its own changes: another `State`, or the state of a run. */
export interface StateView {
  read(key: string): Json | undefined;
  copyInto(target: StateMap): void;
}

/**
 * Write access to state: the changes of one step over another view. A read returns a change if there is one, otherwise the
 * value of the view. With the option `temp`, `temp:` keys are written to that map directly. All other changes are part of
 * the next event (`takeDelta`).
 */
export class State implements ReadonlyState, StateView {
  /** Changes that are not part of an event yet. Null deletes a key. */
  #delta: StateDelta | undefined;
  /** Changes of events that are not stored yet, oldest first. */
  #taken: StateDelta[] | undefined;
  readonly #view: StateView;
  readonly #temp: StateMap | undefined;
  readonly #guard: (() => void) | undefined;

  // The value of `state.key = value` would be lost. A trap at the end of the prototype chain rejects it, at no cost to
  // other calls.
  static {
    const rejectAssignment = (_target: object, key: string | symbol): never => {
      const name = typeof key === 'string' ? JSON.stringify(key) : String(key);
      throw new TholeError('INVALID_INPUT', `State has no member ${name} to assign. Use state.set(${name}, value).`);
    };
    Object.setPrototypeOf(
      State.prototype,
      new Proxy(Object.create(Object.prototype) as object, { set: rejectAssignment }),
    );
  }

  /** `guard` is called before each write and throws if this state is closed. */
  constructor(view: StateView, options: { temp?: StateMap | undefined; guard?: (() => void) | undefined } = {}) {
    this.#view = view;
    this.#temp = options.temp;
    this.#guard = options.guard;
  }

  get<T extends Json = Json>(key: string): T | undefined;
  get(key: string, fallback: string): string;
  get(key: string, fallback: number): number;
  get(key: string, fallback: boolean): boolean;
  get<T extends Json = Json>(key: string, fallback: T): T;
  get<T extends Json = Json>(key: string, fallback?: T): T | undefined {
    return (this.read(key) as T | undefined) ?? fallback;
  }

  has(key: string): boolean {
    return this.read(key) !== undefined;
  }

  /**
   * Stores a copy of the value. Throws `INVALID_INPUT` with the path if the value is not JSON. Null deletes, as
   * `delete` does.
   */
  set(key: string, value: Json): void {
    if (typeof key !== 'string') throw invalidInput('A state key', 'a string', key);
    this.#guard?.();
    const copy = new JsonCopier(failInvalidJson).copy(value, `state[${JSON.stringify(key)}]`);
    if (this.#temp && key.startsWith(StatePrefix.TEMP)) applyDelta(this.#temp, { [key]: copy });
    else setOwn((this.#delta ??= {}), key, copy);
  }

  delete(key: string): void {
    this.set(key, null);
  }

  /** Sets every key of the object. Sets none if one value is not JSON. */
  update(changes: StateDelta): void {
    if (!isPlainObject(changes)) throw invalidInput('State changes', 'an object', changes);
    new JsonCopier(failInvalidJson).copy(changes, 'state');
    for (const key of Object.keys(changes)) if (changes[key] !== undefined) this.set(key, changes[key]!);
  }

  toRecord(): StateMap {
    const record: StateMap = {};
    this.copyInto(record);
    return sortByKey(record);
  }

  /** True if there are changes that are not part of an event yet. */
  hasDelta(): boolean {
    return this.#delta !== undefined;
  }

  /** Returns the changes for an event's `stateDelta`. Reads still see them until `settle` or `restore`. */
  takeDelta(): StateDelta | undefined {
    const taken = this.#delta;
    if (taken) (this.#taken ??= []).push(taken);
    this.#delta = undefined;
    return taken;
  }

  /** Removes changes that `takeDelta` returned, after the view contains them. Without an argument, removes all of them. */
  settle(taken?: StateDelta): void {
    const left = taken && this.#taken?.filter((each) => each !== taken);
    this.#taken = left?.length ? left : undefined;
  }

  /** Adds changes that `takeDelta` returned again, because their event was not stored. Newer changes win. */
  restore(taken: StateDelta): void {
    this.settle(taken);
    this.#delta = { ...taken, ...this.#delta };
  }

  read(key: string): Json | undefined {
    if (this.#delta && Object.hasOwn(this.#delta, key)) return this.#delta[key] ?? undefined;
    if (this.#taken)
      for (let i = this.#taken.length - 1; i >= 0; i--)
        if (Object.hasOwn(this.#taken[i]!, key)) return this.#taken[i]![key] ?? undefined;
    if (this.#temp && key.startsWith(StatePrefix.TEMP)) return getOwn(this.#temp, key);
    return this.#view.read(key);
  }

  copyInto(target: StateMap): void {
    this.#view.copyInto(target);
    applyDelta(target, this.#temp);
    for (const taken of this.#taken ?? []) applyDelta(target, taken);
    applyDelta(target, this.#delta);
  }
}
