import { isPlainObject, sessionNotFound } from '@thole/core/kit';
import type { JsonObject } from '@thole/core';
import { z } from 'zod';
import { assertWritableState } from '../http/assert-writable-state.ts';
import { parseImportedEvents } from '../http/parse-imported-events.ts';
import { count, flag, jsonObject, MAX_ADDED_ITEMS, number, untilFirstError } from '../http/schemas.ts';
import { listOf, objectOf, ref, integer } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { importSession } from './import-session.ts';
import { listSessions } from './list-sessions.ts';
import { sessionRefOf } from './session-ref.ts';
import { wireSession } from './wire-session.ts';

const ALL = '/apps/:app/users/:user/sessions';
const ONE = `${ALL}/:session`;
const tag = 'sessions';
const PAGE = objectOf({
  sessions: listOf(ref('Session')),
  ...{ page: integer, limit: integer, totalItems: integer, totalPages: integer },
});

/** Routes that list, create, read, change and delete sessions. */
export const sessionRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: [ALL], tag },
    summary:
      'Lists the sessions of a user, without events. Without paging parameters, returns an array of the newest sessions, at most `limits.listItems`.',
    query: z.object({
      limit: count.optional(),
      offset: count.optional(),
      page: count.optional(),
      order: z.enum(['asc', 'desc']).optional(),
    }),
    returns: { anyOf: [listOf(ref('Session')), PAGE] },
    responses: { 200: 'Sessions; or {sessions, page, limit, totalItems, totalPages}' },
    handle: listSessions,
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ALL], tag },
    summary: 'Creates a session. `state` and `events` of an exported session can be imported.',
    body: z
      .object({
        sessionId: z.string().nullish(),
        state: jsonObject.nullish(),
        events: untilFirstError(z.array(z.unknown().meta(ref('Event'))), MAX_ADDED_ITEMS).nullish(),
      })
      .nullish(),
    returns: ref('Session'),
    responses: {
      200: 'The session',
      400: 'Events with content that only a run may write',
      403: 'State in a scope that clients may not write',
      409: 'The session exists already',
    },
    handle: (call) => createSession(call, { sessionId: undefined, ...withoutNullMembers(call.body) }),
  }),
  defineRoute({
    ...{ method: 'POST', paths: [ONE], tag, keepKeys: true },
    summary: 'Creates a session with this id. Deprecated: send sessionId in a POST to the list.',
    body: jsonObject.nullish(),
    returns: ref('Session'),
    responses: {
      200: 'The session',
      403: 'State in a scope that clients may not write',
      409: 'The session exists already',
    },
    handle: (call) => createSession(call, { sessionId: call.params.session, state: readState(call.body) }),
  }),
  defineRoute({
    ...{ method: 'GET', paths: [ONE], tag },
    summary:
      'Returns a session with its events. `afterTimestamp` selects the events from this time on, `numRecentEvents` the last N events.',
    query: z.object({ numRecentEvents: count.optional(), afterTimestamp: number.optional() }),
    returns: ref('Session'),
    responses: { 200: 'The session', 404: 'No such session' },
    handle: (call) => sessionResponse(call, call.query),
  }),
  defineRoute({
    ...{ method: 'PATCH', paths: [ONE], tag },
    summary: 'Writes state as one stored event. Null deletes a key.',
    body: z.object({ stateDelta: jsonObject }),
    returns: ref('Session'),
    responses: { 200: 'The session', 403: 'State in a scope that clients may not write', 404: 'No such session' },
    async handle(call) {
      const { body, context, params, runner } = call;
      assertWritableState(body.stateDelta, context);
      const { user: userId, session: sessionId } = params;
      await runner.updateState({ userId, sessionId, stateDelta: body.stateDelta });
      return sessionResponse(call, {});
    },
  }),
  defineRoute({
    ...{ method: 'DELETE', paths: [ONE], tag },
    summary: 'Deletes a session with its artifacts. With `memory`, also deletes its memory entries.',
    query: z.object({ memory: flag.optional() }),
    responses: { 204: 'The session does not exist any more', 400: 'No memory service that can delete entries' },
    async handle({ params: { user: userId, session: sessionId }, query, runner }) {
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

async function createSession({ context, params, runner }: RouteCall<unknown>, p: NewSession): Promise<Response> {
  const { state, sessionId } = p;
  assertWritableState(state ?? {}, context);
  const events = parseImportedEvents(p.events ?? [], context);
  const session = await importSession(
    runner,
    { userId: params.user, sessionId, state, events },
    context.runtime.logger,
  );
  return Response.json(wireSession(session));
}

async function sessionResponse(
  call: RouteCall<unknown>,
  window: { numRecentEvents?: number | undefined; afterTimestamp?: number | undefined },
): Promise<Response> {
  const ref = sessionRefOf(call);
  const session = await call.runner.sessionService.getSession({ ...ref, ...window });
  if (!session) throw sessionNotFound(ref);
  return Response.json(wireSession(session));
}

// The body is the state, or `{state}` as ADK's Java and Go clients send it.
function readState(body: JsonObject | null | undefined): JsonObject {
  const members = body ?? {};
  const { state } = members;
  return isPlainObject(state) && Object.keys(members).length === 1 ? state : members;
}

function withoutNullMembers<T extends object>(
  body: T | null | undefined,
): { [name in keyof T]?: Exclude<T[name], null> } {
  const members = Object.entries(body ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(members) as { [name in keyof T]?: Exclude<T[name], null> };
}
