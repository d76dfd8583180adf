import { isPlainObject } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import { assertClientState } from '../http/client-state.ts';
import { importedEvents } from '../http/imported-events.ts';
import { count, flag, map, number } from '../http/schemas.ts';
import { listOf, objectOf, ref, wholeNumber } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { createFilledSession } from './create-filled-session.ts';
import { listSessions } from './list-sessions.ts';
import { noSession, refOf } from './session-ref.ts';
import { wireSession } from './wire-session.ts';

const ALL = '/apps/:app/users/:user/sessions';
const ONE = `${ALL}/:session`;
const tag = 'sessions';
const PAGE = objectOf({
  sessions: listOf(ref('Session')),
  ...{ page: wholeNumber, limit: wholeNumber, totalItems: wholeNumber, totalPages: wholeNumber },
});

/** Sessions: made, read, written to and deleted. */
export const sessionRoutes: readonly Route[] = [
  route({
    ...{ method: 'GET', paths: [ALL], tag },
    summary:
      'The sessions of a user, without events. Without paging a bare array of all, at most as many as a page may hold, the newest.',
    query: z.object({
      limit: count.optional(),
      offset: count.optional(),
      page: count.optional(),
      order: z.enum(['asc', 'desc']).optional(),
    }),
    returns: { anyOf: [listOf(ref('Session')), PAGE] },
    answers: { 200: 'Sessions; or {sessions, page, limit, totalItems, totalPages}' },
    handle: listSessions,
  }),
  route({
    ...{ method: 'POST', paths: [ALL], tag },
    summary: 'Makes a session, with state and events of an earlier one if they are given.',
    body: z
      .object({
        sessionId: z.string().nullish(),
        state: map.nullish(),
        events: z.array(z.unknown().meta(ref('Event'))).nullish(),
      })
      .nullish(),
    returns: ref('Session'),
    answers: {
      200: 'The session',
      400: 'Events that carry what only a run may write',
      403: 'State of a scope that clients may not write',
      409: 'The id is taken',
    },
    handle: (call) => createSession(call, { sessionId: undefined, ...withoutNull(call.body) }),
  }),
  route({
    ...{ method: 'POST', paths: [ONE], tag, keepsKeys: true },
    summary: 'Makes a session with this id. Deprecated: POST to the list with sessionId.',
    body: map.nullish(),
    returns: ref('Session'),
    answers: { 200: 'The session', 403: 'State of a scope that clients may not write', 409: 'The id is taken' },
    handle: (call) => createSession(call, { sessionId: call.names.session, state: stateIn(call.body) }),
  }),
  route({
    ...{ method: 'GET', paths: [ONE], tag },
    summary: 'A session with its events, all or some: first those from a time on, of these the last so many.',
    query: z.object({ numRecentEvents: count.optional(), afterTimestamp: number.optional() }),
    returns: ref('Session'),
    answers: { 200: 'The session', 404: 'No such session' },
    handle: (call) => sessionOf(call, call.query),
  }),
  route({
    ...{ method: 'PATCH', paths: [ONE], tag },
    summary: 'Writes state, as one committed event; null deletes a key.',
    body: z.object({ stateDelta: map }),
    returns: ref('Session'),
    answers: { 200: 'The session', 403: 'State of a scope that clients may not write', 404: 'No such session' },
    async handle(call) {
      const { body, house, names, runner } = call;
      assertClientState(body.stateDelta, house);
      const { user: userId, session: sessionId } = names;
      await runner.updateState({ userId, sessionId, stateDelta: body.stateDelta });
      return sessionOf(call, {});
    },
  }),
  route({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary: 'Deletes a session with its artifacts, and with `memory` what is remembered of it.',
    query: z.object({ memory: flag.optional() }),
    answers: { 204: 'It is not there', 400: 'Memory is to be forgotten, and nothing can do that' },
    async handle({ names: { user: userId, session: sessionId }, query, runner }) {
      await runner.deleteSession({ userId, sessionId, memory: query.memory });
      return new Response(null, { status: 204 });
    },
  }),
];

interface NewSession {
  sessionId: string | undefined;
  state?: JsonObject | undefined;
  events?: unknown[] | undefined;
}

async function createSession({ house, names, runner }: RouteCall<unknown>, p: NewSession): Promise<Response> {
  const { state, sessionId } = p;
  assertClientState(state ?? {}, house);
  const events = importedEvents(p.events ?? [], house);
  const made = await createFilledSession(
    runner,
    { userId: names.user, sessionId, state, events },
    house.runtime.logger,
  );
  return Response.json(wireSession(made));
}

async function sessionOf(
  call: RouteCall<unknown>,
  window: { numRecentEvents?: number | undefined; afterTimestamp?: number | undefined },
): Promise<Response> {
  const ref = refOf(call);
  const session = await call.runner.sessionService.getSession({ ...ref, ...window });
  if (!session) throw noSession(ref);
  return Response.json(wireSession(session));
}

// The state itself, or as a member of the body, which is how ADK's Java and Go clients send it.
function stateIn(body: JsonObject | null | undefined): JsonObject {
  const given = body ?? {};
  const { state } = given;
  return isPlainObject(state) && Object.keys(given).length === 1 ? state : given;
}

function withoutNull<T extends object>(body: T | null | undefined): { [name in keyof T]?: Exclude<T[name], null> } {
  const members = Object.entries(body ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(members) as { [name in keyof T]?: Exclude<T[name], null> };
}
