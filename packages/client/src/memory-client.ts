import type { MemoryEntry, UserRef } from '@thole/core';
import { at } from './address.ts';
import type { Query } from './address.ts';
import type { MemoryClient, MemoryConditions } from './client.ts';
import type { Ask, Tell } from './connection.ts';

/** What is below `/apps/:app/users/:user/memory`. */
export function memoryClient(ask: Ask, tell: Tell): MemoryClient {
  const all = (p: UserRef): string => at`/apps/${p.appName}/users/${p.userId}/memory`;
  return {
    search: async (p) =>
      (
        await ask<{ memories: MemoryEntry[] }>(all(p), {
          call: p,
          query: {
            ...{ query: p.query, limit: p.limit, minScore: p.minScore, minRelevance: p.minRelevance },
            ...{ timeZone: p.timeZone, explain: p.explain, ...conditions(p.filter) },
          },
        })
      ).memories,
    list: async (p) => ask(all(p), { call: p, query: { limit: p.limit, cursor: p.cursor, ...conditions(p.filter) } }),
    add: async ({ memories, ...p }) =>
      (await ask<{ memories: MemoryEntry[] }>(all(p), { call: p, body: { memories } })).memories,
    update: async (p) => ask(all(p) + at`/${p.id}`, { call: p, method: 'PATCH', body: p.change }),
    forget: async (p) =>
      tell(all(p) + at`/${p.id}`, { call: p, method: 'DELETE', query: { keepEvidence: p.keepEvidence } }),
    forgetAll: async (p) => tell(all(p), { call: p, method: 'DELETE' }),
    saveSession: async ({ sessionId, ...p }) => tell(all(p), { call: p, method: 'PATCH', body: { sessionId } }),
  };
}

const conditions = ({ kinds, topics, ...filter }: MemoryConditions = {}): Query => ({
  ...filter,
  ...(kinds && { kinds: kinds.join() }),
  ...(topics && { topics: topics.join() }),
});
