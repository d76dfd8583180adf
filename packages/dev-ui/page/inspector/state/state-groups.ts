import type { Json, StateMap } from '@thole/core';
import type { StateScope } from '@thole/core/kit';

/** One key of the state. */
export interface StateRow {
  /** The key with its prefix, as in a delta. */
  key: string;
  /** The key without its prefix. */
  name: string;
  value: Json;
}

/** The keys of one scope, by name. */
export interface StateGroup {
  scope: StateScope;
  rows: StateRow[];
}

/** Returns the state by scope, session state first. Every scope is present, also if it is empty. */
export function stateGroups(state: StateMap, temporary: StateMap = {}): StateGroup[] {
  const groups = new Map<StateScope, StateRow[]>(SCOPES.map((scope) => [scope, []]));
  for (const [key, value] of [...Object.entries(state), ...Object.entries(temporary)]) {
    if (key === SESSION_METADATA) continue;
    const scope = scopeOf(key);
    groups.get(scope)!.push({ key, name: scope === 'session' ? key : key.slice(scope.length + 1), value });
  }
  return SCOPES.map((scope) => ({
    scope,
    rows: groups.get(scope)!.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
}

/** Returns the prefix of a scope's keys. */
export function prefixOf(scope: StateScope): string {
  return scope === 'session' ? '' : `${scope}:`;
}

/** Returns the scope of a key by its first prefix. */
export function scopeOf(key: string): StateScope {
  return SCOPES.find((scope) => scope !== 'session' && key.startsWith(`${scope}:`)) ?? 'session';
}

/** A key of the page with the name of the session. It is edited in the list of sessions. */
export const SESSION_METADATA = '__session_metadata__';

const SCOPES: readonly StateScope[] = ['session', 'user', 'app', 'temp'];
