import type { MemoryScope, MemoryStore } from '@thole/core';

/** Defects of memory stores that mix up users or apps: a name, and the scope that the store uses instead. */
export const scopeMutants: readonly (readonly [what: string, change: (scope: MemoryScope) => MemoryScope])[] = [
  ['drops the app', (scope) => ({ ...scope, appName: 'x' })],
  ['drops the user', (scope) => ({ ...scope, userId: 'x' })],
  ['joins names with a colon', ({ appName, userId }) => ({ appName: `${appName}:${userId}`, userId: 'x' })],
  ['joins names with a bar', ({ appName, userId }) => ({ appName: `${appName}|${userId}`, userId: 'x' })],
  ['joins names in quotes', ({ appName, userId }) => ({ appName: `${appName}","${userId}`, userId: 'x' })],
  ['decodes names', ({ appName, userId }) => ({ appName: appName.replaceAll('%2F', '/'), userId })],
  ['drops trailing blanks', ({ appName, userId }) => ({ appName, userId: userId.trimEnd() })],
  ['ignores the case of the app', ({ appName, userId }) => ({ appName: appName.toLowerCase(), userId })],
  ['normalizes names', ({ appName, userId }) => ({ appName, userId: userId.normalize('NFC') })],
];

/** Returns a store that passes each call on with another scope. */
export function withScopes(store: MemoryStore, change: (scope: MemoryScope) => MemoryScope): MemoryStore {
  return {
    specVersion: 1,
    abilities: {},
    put: (scope, entries, mode) => store.put(change(scope), entries, mode),
    since: (scope, seq, limit) => store.since(change(scope), seq, limit),
    get: (scope, ids) => store.get(change(scope), ids),
    list: (scope, page) => store.list(change(scope), page),
    remove: (scope, what, now) => store.remove(change(scope), what, now),
  };
}
