import type { MemoryEntry, MemoryRef } from '@thole/core';
import { pick } from './pick.ts';
import { path } from './request-path.ts';
import type { Query } from './request-path.ts';
import type { MemoryClient, MemoryConditions } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';

/** Returns the methods for `/apps/:app/users/:user/memory`. */
export function memoryClient(requestJson: RequestJson, requestVoid: RequestVoid): MemoryClient {
  const memoryPath = (p: MemoryRef): string => path`/apps/${p.appName}/users/${p.userId}/memory`;
  const entryPath = (p: MemoryRef & { id: string }): string => memoryPath(p) + path`/${p.id}`;
  const requestEntries = async (url: string, options: Parameters<RequestJson>[1]): Promise<MemoryEntry[]> =>
    (await requestJson<{ memories: MemoryEntry[] }>(url, options)).memories;
  return {
    search: async (p) =>
      requestEntries(memoryPath(p), {
        call: p,
        query: {
          ...pick(p, 'query', 'limit', 'minScore', 'minRelevance', 'timeZone', 'explain'),
          ...toQuery(p.filter),
          ...p.scope,
        },
      }),
    list: async (p) =>
      requestJson(memoryPath(p), {
        call: p,
        query: { ...pick(p, 'limit', 'cursor'), ...toQuery(p.filter), ...p.scope },
      }),
    get: async (p) => requestJson(entryPath(p), { call: p, query: { ...p.scope } }),
    findSame: async (p) => requestEntries(`${entryPath(p)}/same`, { call: p, query: { ...p.scope } }),
    add: async (p) => requestEntries(memoryPath(p), { call: p, body: pick(p, 'memories'), query: { ...p.scope } }),
    update: async (p) => requestJson(entryPath(p), { call: p, method: 'PATCH', body: p.change, query: { ...p.scope } }),
    forget: async (p) =>
      requestVoid(entryPath(p), { call: p, method: 'DELETE', query: { ...pick(p, 'keepEvidence'), ...p.scope } }),
    forgetMany: async (p) => {
      const body = pick(p, 'ids', 'keepEvidence');
      return (await requestJson<{ count: number }>(`${memoryPath(p)}/forget`, { call: p, body, query: { ...p.scope } }))
        .count;
    },
    forgetAll: async (p) => requestVoid(memoryPath(p), { call: p, method: 'DELETE', query: { ...p.scope } }),
    saveSession: async (p) => requestVoid(memoryPath(p), { call: p, method: 'PATCH', body: pick(p, 'sessionId') }),
  };
}

const toQuery = ({ kinds, topics, ...filter }: MemoryConditions = {}): Query => ({
  ...filter,
  kinds: kinds?.join(),
  topic: topics,
});
