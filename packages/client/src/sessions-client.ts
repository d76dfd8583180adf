import type { Session, SessionRef, SessionSummary } from '@thole/core';
import { pick } from './pick.ts';
import { path } from './request-path.ts';
import type { SessionsClient, SessionsPage } from './client.ts';
import type { RequestJson, RequestVoid } from './connection.ts';
import { toSessionFile } from './session-file.ts';

/** Returns the methods for `/apps/:app/users/:user/sessions`. */
export function sessionsClient(requestJson: RequestJson, requestVoid: RequestVoid): SessionsClient {
  const sessionPath = (p: SessionRef): string => path`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}`;
  const get: SessionsClient['get'] = async (p) =>
    requestJson(sessionPath(p), {
      call: p,
      query: pick(p, 'numRecentEvents', 'afterTimestamp'),
    });
  const updateState: SessionsClient['updateState'] = async (p) =>
    requestJson<Session>(sessionPath(p), { call: p, method: 'PATCH', body: pick(p, 'stateDelta') });
  return {
    async list(p) {
      const response = await requestJson<SessionsPage | SessionSummary[]>(
        path`/apps/${p.appName}/users/${p.userId}/sessions`,
        { call: p, query: pick(p, 'limit', 'offset', 'page', 'order') },
      );
      // Without paging the response is an array.
      if (Array.isArray(response)) return { sessions: response, totalItems: response.length };
      return pick(response, 'sessions', 'totalItems');
    },
    get,
    create: async (p) =>
      requestJson(path`/apps/${p.appName}/users/${p.userId}/sessions`, {
        call: p,
        body: pick(p, 'sessionId', 'state', 'events'),
      }),
    updateState,
    rename: async ({ displayName, ...p }) =>
      updateState({ ...p, stateDelta: { __session_metadata__: { displayName } } }),
    delete: async (p) => requestVoid(sessionPath(p), { call: p, method: 'DELETE', query: pick(p, 'memory') }),
    rewind: async (p) =>
      requestJson(`${sessionPath(p)}/rewind`, { call: p, body: pick(p, 'rewindBeforeInvocationId', 'keepMemory') }),
    fork: async (p) =>
      requestJson(`${sessionPath(p)}/fork`, {
        call: p,
        body: pick(p, 'beforeInvocationId', 'newSessionId', 'uptoSeq'),
      }),
    export: async (p) => toSessionFile(await get(p)),
  };
}
