import type { Session, SessionRef, SessionSummary } from '@thole/core';
import { at } from './address.ts';
import type { SessionsClient, SessionsPage } from './client.ts';
import type { Ask, Tell } from './connection.ts';

/** What is below `/apps/:app/users/:user/sessions`. */
export function sessionsClient(ask: Ask, tell: Tell): SessionsClient {
  const path = (p: SessionRef): string => at`/apps/${p.appName}/users/${p.userId}/sessions/${p.sessionId}`;
  const get: SessionsClient['get'] = async (p) =>
    ask(path(p), { call: p, query: { numRecentEvents: p.numRecentEvents, afterTimestamp: p.afterTimestamp } });
  const updateState: SessionsClient['updateState'] = async (p) =>
    ask<Session>(path(p), { call: p, method: 'PATCH', body: { stateDelta: p.stateDelta } });
  return {
    async list(p) {
      const { limit, offset, page, order } = p;
      const answer = await ask<SessionsPage | SessionSummary[]>(at`/apps/${p.appName}/users/${p.userId}/sessions`, {
        call: p,
        query: { limit, offset, page, order },
      });
      // Without paging the whole list stands bare.
      if (Array.isArray(answer)) return { sessions: answer, totalItems: answer.length };
      return { sessions: answer.sessions, totalItems: answer.totalItems };
    },
    get,
    create: async ({ sessionId, state, events, ...p }) =>
      ask(at`/apps/${p.appName}/users/${p.userId}/sessions`, { call: p, body: { sessionId, state, events } }),
    updateState,
    rename: async ({ displayName, ...p }) =>
      updateState({ ...p, stateDelta: { __session_metadata__: { displayName } } }),
    delete: async (p) => tell(path(p), { call: p, method: 'DELETE', query: { memory: p.memory } }),
    async export(p) {
      const { state, events } = await get(p);
      const own = Object.entries(state).filter(([key]) => !/^(app|user):/.test(key));
      return { state: Object.fromEntries(own), events };
    },
  };
}
