import type { Session, SessionRef, SessionSummary } from '@thole/core';
import { path } from './request-path.ts';
import type { SessionsClient, SessionsPage } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';

/** Returns the methods for `/apps/:app/users/:user/sessions`. */
export function sessionsClient(requestJson: RequestJson, requestVoid: RequestVoid): SessionsClient {
  const sessionPath = (p: SessionRef): string => path`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}`;
  const get: SessionsClient['get'] = async (p) =>
    requestJson(sessionPath(p), {
      call: p,
      query: { numRecentEvents: p.numRecentEvents, afterTimestamp: p.afterTimestamp },
    });
  const updateState: SessionsClient['updateState'] = async (p) =>
    requestJson<Session>(sessionPath(p), { call: p, method: 'PATCH', body: { stateDelta: p.stateDelta } });
  return {
    async list(p) {
      const { limit, offset, page, order } = p;
      const response = await requestJson<SessionsPage | SessionSummary[]>(
        path`/apps/${p.appName}/users/${p.userId}/sessions`,
        { call: p, query: { limit, offset, page, order } },
      );
      // Without paging the response is an array.
      if (Array.isArray(response)) return { sessions: response, totalItems: response.length };
      return { sessions: response.sessions, totalItems: response.totalItems };
    },
    get,
    create: async ({ sessionId, state, events, ...p }) =>
      requestJson(path`/apps/${p.appName}/users/${p.userId}/sessions`, { call: p, body: { sessionId, state, events } }),
    updateState,
    rename: async ({ displayName, ...p }) =>
      updateState({ ...p, stateDelta: { __session_metadata__: { displayName } } }),
    delete: async (p) => requestVoid(sessionPath(p), { call: p, method: 'DELETE', query: { memory: p.memory } }),
    rewind: async ({ keepMemory, rewindBeforeInvocationId, ...p }) =>
      requestJson(`${sessionPath(p)}/rewind`, { call: p, body: { rewindBeforeInvocationId, keepMemory } }),
    fork: async ({ beforeInvocationId, newSessionId, uptoSeq, ...p }) =>
      requestJson(`${sessionPath(p)}/fork`, { call: p, body: { beforeInvocationId, newSessionId, uptoSeq } }),
    async export(p) {
      const { state, events } = await get(p);
      const sessionState = Object.entries(state).filter(([key]) => !/^(app|user):/.test(key));
      return { state: Object.fromEntries(sessionState), events };
    },
  };
}
