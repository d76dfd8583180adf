import type { MemoryEntry, MemoryRef } from '@thole/core';
import { path } from './request-path.ts';
import type { Query } from './request-path.ts';
import type { MemoryClient, MemoryConditions } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';

/** Returns the methods for `/apps/:app/users/:user/memory`. */
export function memoryClient(requestJson: RequestJson, requestVoid: RequestVoid): MemoryClient {
  const all = (p: MemoryRef): string => path`/apps/${p.appName}/users/${p.userId}/memory`;
  const one = (p: MemoryRef & { id: string }): string => all(p) + path`/${p.id}`;
  const requestEntries = async (url: string, options: Parameters<RequestJson>[1]): Promise<MemoryEntry[]> =>
    (await requestJson<{ memories: MemoryEntry[] }>(url, options)).memories;
  return {
    search: async (p) =>
      requestEntries(all(p), {
        call: p,
        query: {
          ...{ query: p.query, limit: p.limit, minScore: p.minScore, minRelevance: p.minRelevance },
          ...{ timeZone: p.timeZone, explain: p.explain, ...conditions(p.filter), ...p.scope },
        },
      }),
    list: async (p) =>
      requestJson(all(p), {
        call: p,
        query: { limit: p.limit, cursor: p.cursor, ...conditions(p.filter), ...p.scope },
      }),
    get: async (p) => requestJson(one(p), { call: p, query: { ...p.scope } }),
    findSame: async (p) => requestEntries(`${one(p)}/same`, { call: p, query: { ...p.scope } }),
    add: async ({ memories, ...p }) => requestEntries(all(p), { call: p, body: { memories }, query: { ...p.scope } }),
    update: async (p) => requestJson(one(p), { call: p, method: 'PATCH', body: p.change, query: { ...p.scope } }),
    forget: async (p) =>
      requestVoid(one(p), { call: p, method: 'DELETE', query: { keepEvidence: p.keepEvidence, ...p.scope } }),
    forgetMany: async (p) => {
      const body = { ids: p.ids, keepEvidence: p.keepEvidence };
      return (await requestJson<{ count: number }>(`${all(p)}/forget`, { call: p, body, query: { ...p.scope } })).count;
    },
    forgetAll: async (p) => requestVoid(all(p), { call: p, method: 'DELETE', query: { ...p.scope } }),
    saveSession: async ({ sessionId, ...p }) => requestVoid(all(p), { call: p, method: 'PATCH', body: { sessionId } }),
  };
}

const conditions = ({ kinds, topics, ...filter }: MemoryConditions = {}): Query => ({
  ...filter,
  ...(kinds && { kinds: kinds.join() }),
  ...(topics && { topic: topics }),
});
