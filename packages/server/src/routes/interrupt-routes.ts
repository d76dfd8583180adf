import { TholeError } from '@thole/core';
import type { Interrupt, InterruptKind, SessionRef, WaitingPage } from '@thole/core';
import type { Runner } from '@thole/runner';
import { z } from 'zod';
import { isResponse } from '../http/is-response.ts';
import { count } from '../http/schemas.ts';
import { listOf, objectOf, ref, text } from '../openapi/schema.ts';
import { inboxInterrupt } from '../openapi/wire-schemas.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';

const DEFAULT_PAGE_SIZE = 50;
/** Number of sessions of a page that are read at the same time. */
const PARALLEL_READS = 8;

const kinds = ['confirmation', 'input', 'credential', 'longRunning', 'timer'] as const satisfies InterruptKind[];

interface InboxQuery {
  userId?: string | undefined;
  kind?: InterruptKind | undefined;
  limit?: number | undefined;
  after?: string | undefined;
}

type InboxInterrupt = Interrupt & { userId: string; sessionId: string };

/** Open interrupts: of a session, and of all sessions of an app. */
export const interruptRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'GET', paths: ['/apps/:app/users/:user/sessions/:session/interrupts'], tag: 'interrupts' },
    summary: 'Returns the open interrupts of a session, oldest first.',
    returns: objectOf({ interrupts: listOf(ref('Interrupt')) }),
    responses: { 200: '{interrupts}', 404: 'No such session' },
    async handle({ params, runner }) {
      const interrupts = await runner.pendingInterrupts({ userId: params.user, sessionId: params.session });
      return Response.json({ interrupts });
    },
  }),
  defineRoute({
    // Without `userId`, the users of the found sessions are authorized.
    ...{ method: 'GET', paths: ['/apps/:app/interrupts'], tag: 'interrupts', access: 'body' },
    summary:
      'Returns the open interrupts of an app, by the time of the last event of their session. A page has the interrupts of at most `limit` sessions and can be empty. Without `userId`, returns the interrupts of all users that the client may read.',
    query: z.object({
      userId: z.string().min(1).optional(),
      kind: z.enum(kinds).optional(),
      limit: count.optional(),
      after: z.string().min(1).optional(),
    }),
    returns: objectOf({ interrupts: listOf(inboxInterrupt), 'next?': text }),
    responses: { 200: '{interrupts, next?}: `next` is the `after` of the next page', 404: 'No such app' },
    handle: readInbox,
  }),
];

async function readInbox(call: RouteCall<unknown, InboxQuery>): Promise<Response> {
  const { context, params, query } = call;
  const { kind } = query;
  await call.authorize({ appName: params.app, userId: query.userId, action: 'read' });
  const { runner } = call;
  // Only the sessions of this user are readable then. The cursor of a list of all users could name a session of another user.
  const userId = query.userId ?? call.authorizedUserId;
  if (query.limit === 0) throw new TholeError('INVALID_INPUT', 'query.limit must be an integer ≥ 1.');
  const limit = Math.min(query.limit ?? DEFAULT_PAGE_SIZE, context.limits.listItems);
  const page = await waitingSessions(runner, { userId, limit, after: query.after });
  const readable = query.userId === undefined ? await filterReadable(call, page) : page.sessions.map(({ key }) => key);
  const interrupts: InboxInterrupt[] = [];
  for (let i = 0; i < readable.length; i += PARALLEL_READS) {
    const refs = readable.slice(i, i + PARALLEL_READS);
    const lists = await Promise.all(refs.map((each) => openInterrupts(runner, each)));
    interrupts.push(...lists.flat().filter((each) => kind === undefined || each.kind === kind));
  }
  return Response.json({ interrupts, ...(page.next !== undefined && { next: page.next }) });
}

function waitingSessions(
  { appName, sessionService }: Runner,
  p: { userId: string | undefined; limit: number; after: string | undefined },
): Promise<WaitingPage> {
  if (sessionService.listWaitingSessions) {
    return sessionService.listWaitingSessions({ appName, kind: 'interrupts', ...p });
  }
  throw new TholeError('LEASING_NOT_SUPPORTED', 'The session service cannot list the sessions that wait for answers.');
}

/** Returns the sessions that the request may read. Calls `authorize` once for each user. */
async function filterReadable(call: RouteCall<unknown, unknown>, { sessions }: WaitingPage): Promise<SessionRef[]> {
  const decisions = new Map<string, boolean>();
  const readable: SessionRef[] = [];
  for (const { key } of sessions) {
    if (!decisions.has(key.userId)) decisions.set(key.userId, await mayRead(call, key));
    if (decisions.get(key.userId)) readable.push(key);
  }
  return readable;
}

async function mayRead(call: RouteCall<unknown, unknown>, { appName, userId }: SessionRef): Promise<boolean> {
  try {
    await call.authorizeAgain({ appName, userId, action: 'read' });
    return true;
  } catch (error) {
    if (isResponse(error) || TholeError.is(error, 'FORBIDDEN')) return false;
    throw error;
  }
}

/** Returns the open interrupts of a session. Empty if the session was deleted after it was listed. */
async function openInterrupts(runner: Runner, { sessionId, userId }: SessionRef): Promise<InboxInterrupt[]> {
  try {
    const interrupts = await runner.pendingInterrupts({ userId, sessionId });
    return interrupts.map((each) => ({ ...each, userId, sessionId }));
  } catch (error) {
    if (TholeError.is(error, 'SESSION_NOT_FOUND')) return [];
    throw error;
  }
}
