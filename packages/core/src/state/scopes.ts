import type { Json, JsonObject } from '../json/json.ts';
import { setOwn } from '../json/own.ts';

/** State as it is read: one flat map, keys with their prefixes. */
export type StateMap = JsonObject;
/** Changes to state; null deletes a key. */
export type StateDelta = JsonObject;

/** What a key's first prefix says of where it lives; without one it lives in the session. */
export const StatePrefix = { APP: 'app:', USER: 'user:', TEMP: 'temp:' } as const;

/** Whose a key is: the app's, the user's, the invocation's or the session's. */
export type StateScope = 'app' | 'user' | 'temp' | 'session';

/** A delta split by scope, prefixes taken off: what a store applies. A scope that nothing touches is absent. */
export interface ScopedDelta {
  app?: StateDelta | undefined;
  user?: StateDelta | undefined;
  session?: StateDelta | undefined;
}

/** Only the first prefix counts: `user:temp:x` is the user's key `temp:x`. Dots carry no scope. */
export function scopeOf(key: string): StateScope {
  if (key.startsWith(StatePrefix.APP)) return 'app';
  if (key.startsWith(StatePrefix.USER)) return 'user';
  if (key.startsWith(StatePrefix.TEMP)) return 'temp';
  return 'session';
}

/** Splits changes by scope, without prefixes; `temp:` keys are left out. */
export function splitByScope(delta: StateDelta): ScopedDelta {
  const scoped: ScopedDelta = {};
  for (const key of Object.keys(delta)) {
    const scope = scopeOf(key);
    if (scope === 'temp') continue;
    const bare = scope === 'session' ? key : key.slice(scope.length + 1);
    setOwn((scoped[scope] ??= {}), bare, delta[key]!);
  }
  return scoped;
}

/** Merges the scopes into one map with prefixes, as agents see it, its keys in order (`inKeyOrder`). */
export function mergeScopes(scopes: {
  app?: StateMap | undefined;
  user?: StateMap | undefined;
  session?: StateMap | undefined;
}): StateMap {
  const merged: StateMap = {};
  for (const [key, value] of Object.entries(scopes.app ?? {})) setOwn(merged, StatePrefix.APP + key, value);
  for (const [key, value] of Object.entries(scopes.user ?? {})) setOwn(merged, StatePrefix.USER + key, value);
  for (const [key, value] of Object.entries(scopes.session ?? {})) setOwn(merged, key, value);
  return inKeyOrder(merged);
}

/**
 * Returns a copy whose keys are in the order of their UTF-16 code units: each database orders keys differently, and prompts and
 * caches must not depend on it. (JavaScript puts keys that are array indexes first.)
 */
export function inKeyOrder(state: StateMap): StateMap {
  const ordered: StateMap = {};
  for (const key of Object.keys(state).sort()) setOwn(ordered, key, state[key]!);
  return ordered;
}

/** Applies changes to a map in place: last write wins by top-level key, null deletes. */
export function applyDelta(state: StateMap, delta: StateDelta | undefined): void {
  for (const key in delta) {
    const value: Json = delta[key]!;
    if (value === null) delete state[key];
    else setOwn(state, key, value);
  }
}
