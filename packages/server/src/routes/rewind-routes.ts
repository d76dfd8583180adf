import { sessionNotFound } from '@thole/core/kit';
import { z } from 'zod';
import { ref } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route } from '../route.ts';
import { sessionRefOf } from './session-ref.ts';
import { wireSession } from './wire-session.ts';

const ONE = '/apps/:app/users/:user/sessions/:session';
const tag = 'sessions';
const name = z.string().min(1);

/** Rewind and copy of sessions. */
export const rewindRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: [`${ONE}/rewind`], tag, action: 'rewind' },
    summary:
      'Removes an invocation and everything after it, restores state and artifacts, and returns the session. `keepMemory` keeps the memory entries of the removed events.',
    body: z.object({ rewindBeforeInvocationId: name, keepMemory: z.boolean().nullish() }),
    returns: ref('Session'),
    responses: {
      200: 'The session',
      404: 'No such session or invocation',
      409: 'The session is busy, or the answer of a remaining call would be removed',
    },
    async handle(call) {
      const { body, params, request, runner } = call;
      const { keepMemory, rewindBeforeInvocationId } = body;
      const p = { userId: params.user, sessionId: params.session, rewindBeforeInvocationId };
      await runner.rewind({ ...p, keepMemory: keepMemory ?? undefined, signal: request.signal });
      const sessionRef = sessionRefOf(call);
      const session = await runner.sessionService.getSession(sessionRef);
      if (!session) throw sessionNotFound(sessionRef);
      return Response.json(wireSession(session));
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: [`${ONE}/fork`], tag, action: 'fork' },
    summary:
      'Copies the events of a session before an invocation, up to a `seq`, or all events, and returns the copy. Open calls and interrupts are closed in the copy.',
    body: z
      .object({
        beforeInvocationId: name.nullish(),
        uptoSeq: z.number().int().min(1).nullish(),
        newSessionId: name.nullish(),
      })
      .nullish(),
    returns: ref('Session'),
    responses: {
      200: 'The copy',
      404: 'No such session or invocation',
      409: 'A session with the new id exists already',
    },
    async handle({ body, params, request, runner }) {
      const copy = await runner.fork({
        ...{ userId: params.user, sessionId: params.session, signal: request.signal },
        beforeInvocationId: body?.beforeInvocationId ?? undefined,
        uptoSeq: body?.uptoSeq ?? undefined,
        newSessionId: body?.newSessionId ?? undefined,
      });
      return Response.json(wireSession(copy));
    },
  }),
];
