import type { Json, JsonObject } from '../json/json.ts';
import { setOwn } from '../json/own.ts';

/** State as one flat map with prefixed keys. */
export type StateMap = JsonObject;
/** Changes to state. Null deletes a key. */
export type StateDelta = JsonObject;

/** The prefixes of state keys. A key without a prefix belongs to the session. */
export const StatePrefix = { APP: 'app:', USER: 'user:', TEMP: 'temp:' } as const;

/** The owner of a key: app, user, invocation or session. */
export type StateScope = 'app' | 'user' | 'temp' | 'session';

/** A delta split by scope, without prefixes, as stores apply it. Scopes without changes are absent. */
export interface ScopedDelta {
  app?: StateDelta | undefined;
  user?: StateDelta | undefined;
  session?: StateDelta | undefined;
}

/**
 * Returns the scope of a key. Only the first prefix counts: `user:temp:x` is the user's key `temp:x`. Dots have no
 * meaning.
 */
export function scopeOf(key: string): StateScope {
  if (key.startsWith(StatePrefix.APP)) return 'app';
  if (key.startsWith(StatePrefix.USER)) return 'user';
  if (key.startsWith(StatePrefix.TEMP)) return 'temp';
  return 'session';
}

/** Returns the changes split by scope, without prefixes. `temp:` keys are left out. */
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

/** Returns one map of all scopes with prefixes, as agents see it, with sorted keys (`sortByKey`). */
export function mergeScopes(scopes: {
  app?: StateMap | undefined;
  user?: StateMap | undefined;
  session?: StateMap | undefined;
}): StateMap {
  const merged: StateMap = {};
  for (const [key, value] of Object.entries(scopes.app ?? {})) setOwn(merged, StatePrefix.APP + key, value);
  for (const [key, value] of Object.entries(scopes.user ?? {})) setOwn(merged, StatePrefix.USER + key, value);
  for (const [key, value] of Object.entries(scopes.session ?? {})) setOwn(merged, key, value);
  return sortByKey(merged);
}

/**
 * Returns a copy with keys sorted by UTF-16 code units, because databases return keys in different orders, and
 * prompts and caches must not depend on that. JavaScript puts keys that are array indexes first.
 */
export function sortByKey(state: StateMap): StateMap {
  const ordered: StateMap = {};
  for (const key of Object.keys(state).sort()) setOwn(ordered, key, state[key]!);
  return ordered;
}

/** Applies changes to a map in place: the last write of a top-level key wins, null deletes. */
export function applyDelta(state: StateMap, delta: StateDelta | undefined): void {
  for (const key in delta) {
    const value: Json = delta[key]!;
    if (value === null) delete state[key];
    else setOwn(state, key, value);
  }
}
