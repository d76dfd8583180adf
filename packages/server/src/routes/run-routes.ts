import { TholeError } from '@thole/core';
import { sessionNotFound } from '@thole/core/kit';
import type { Event, LogFields, SessionRef } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import { z } from 'zod';
import { assertWritableState } from '../http/assert-writable-state.ts';
import { findRunner } from '../http/find-runner.ts';
import { wireEventJson } from '../http/wire-event.ts';
import { boolean, listOf, objectOf, ref } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { abortOnDisconnect } from '../runs/abort-on-disconnect.ts';
import { AttachedRunReader } from '../runs/attached-run-reader.ts';
import { BufferedRunReader } from '../runs/buffered-run-reader.ts';
import { BufferedRun } from '../runs/buffered-run.ts';
import { failedRunFrame } from '../runs/end-frames.ts';
import { runBody } from '../runs/run-body.ts';
import type { RunBody } from '../runs/run-body.ts';
import { completeSseResponse, sseResponse, withFirstFrames } from '../runs/sse-response.ts';
import type { FrameSource } from '../runs/sse-response.ts';
import { readStoredEvents, StoredRunReader } from '../runs/stored-run-reader.ts';
import { sessionRefOf } from './session-ref.ts';

const RUN = '/apps/:app/users/:user/sessions/:session/runs/:invocation';
const failures = {
  400: 'A member of the body is missing or invalid',
  404: 'No such app or session',
  409: 'The session is busy',
};

/** Runs: started, streamed, read again and cancelled. */
export const runRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: ['/run'], tag: 'runs', access: 'body' },
    summary: 'Processes a message and returns the stored events.',
    body: runBody,
    returns: listOf(ref('Event')),
    responses: { 200: 'Events', ...failures },
    async handle(call) {
      const { run, where } = await startRun(call, { streaming: false, detached: true, yieldUserMessage: false });
      const stopWatching = abortOnDisconnect(run, call);
      const events: string[] = [];
      try {
        for await (const event of run) if (event.author !== 'user' && !event.partial) events.push(wireEventJson(event));
      } catch (error) {
        call.context.errorLog.logRunError(error, where, { hasStarted: events.length > 0 });
        throw error;
      } finally {
        stopWatching();
      }
      return new Response(`[${events.join()}]`, { headers: { 'content-type': 'application/json' } });
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: ['/run_sse'], tag: 'runs', access: 'body' },
    summary: 'Processes a message and streams the events. An error before the first event is a plain response.',
    body: runBody,
    responses: { 200: 'text/event-stream of events', ...failures },
    handle: (call) => (call.context.onDisconnect === 'continue' ? streamDetached(call) : streamAttached(call)),
  }),
  defineRoute({
    ...{ method: 'GET', paths: [`${RUN}/events`], tag: 'runs' },
    summary: 'Streams the events of an active or finished run after `after`, or after the header Last-Event-ID.',
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    responses: { 200: 'text/event-stream of events', 404: 'No such session or run' },
    async handle(call) {
      const { context, params, runner } = call;
      const ref = sessionRefOf(call);
      const invocationId = params['invocation']!;
      const toErrorFrame = (error: unknown): string =>
        failedRunFrame(error, context.errorLog, { where: { ...ref, invocationId } });
      const p = { sessions: runner.sessionService, ref, invocationId, runtime: context.runtime, toErrorFrame };
      const after = call.query.after ?? lastEventId(call.request);
      const run = context.runs.find(ref, invocationId);
      const readStored = (seq: number): Promise<readonly Event[]> => readStoredEvents({ ...p, after: seq });
      const source: FrameSource = run
        ? new BufferedRunReader(run, { after, toErrorFrame, readStored })
        : await StoredRunReader.open({ ...p, after });
      return stream(call, source, invocationId);
    },
  }),
  defineRoute({
    ...{ method: 'POST', paths: [`${RUN}/cancel`], tag: 'runs' },
    summary: 'Asks a run to stop, whichever process runs it.',
    returns: objectOf({ cancelled: boolean }),
    responses: { 200: '{cancelled}: true if the run was active' },
    async handle({ params, runner }) {
      const p = { userId: params.user, sessionId: params.session, invocationId: params['invocation']! };
      return Response.json({ cancelled: await runner.cancel(p) });
    },
  }),
];

/** The client is the only reader and sets the pace. The run ends when it disconnects. */
async function streamAttached(call: RouteCall<RunBody>): Promise<Response> {
  const { context, body } = call;
  const options = { streaming: body.streaming ?? false, detached: false, yieldUserMessage: true };
  const { run, split, where } = await startRun(call, options);
  const stopWatching = abortOnDisconnect(run, call);
  let first: IteratorResult<Event>;
  try {
    first = await run.next();
  } catch (error) {
    context.errorLog.logRunError(error, where, { hasStarted: false });
    throw error;
  } finally {
    stopWatching();
  }
  const toErrorFrame = (error: unknown): string => failedRunFrame(error, context.errorLog, { where });
  const reader = new AttachedRunReader(run, { first, split, runtime: context.runtime, toErrorFrame });
  // Requested at once, even if the client does not read yet. A run without I/O is then complete after the microtasks.
  let text: string | undefined;
  const firstFrames = reader.next().then((frames) => (text = frames));
  await context.runtime.afterMicrotasks?.();
  if (text !== undefined && reader.ended) return completeSseResponse(text, run);
  return stream(call, withFirstFrames(firstFrames, reader), run.invocationId);
}

/** The run continues without the client, which is its first reader. */
async function streamDetached(call: RouteCall<RunBody>): Promise<Response> {
  const { context, body } = call;
  const options = { streaming: body.streaming ?? false, detached: true, yieldUserMessage: true };
  const { run, ref, split, where } = await startRun(call, options);
  const toErrorFrame = (error: unknown, hasStarted: boolean = true): string =>
    failedRunFrame(error, context.errorLog, { where, hasStarted });
  const buffered = new BufferedRun(run, { ref, maxChars: context.limits.runBufferChars, split, toErrorFrame });
  context.runs.publish(buffered, run);
  await buffered.started;
  const p = { sessions: findRunner(context, ref.appName).sessionService, ref, invocationId: run.invocationId };
  const source = new BufferedRunReader(buffered, {
    toErrorFrame: (error) => toErrorFrame(error),
    readStored: (after) => readStoredEvents({ ...p, after }),
  });
  return stream(call, source, run.invocationId);
}

interface StartedRun {
  run: Run;
  ref: SessionRef;
  /** True if an event with parts and artifacts is sent as two frames. */
  split: boolean;
  /** Ids of the run, for the log. */
  where: LogFields;
}

async function startRun(
  call: RouteCall<RunBody>,
  p: { streaming: boolean; detached: boolean; yieldUserMessage: boolean },
): Promise<StartedRun> {
  const { body, context, request } = call;
  const appName = body.appName ?? onlyApp(call);
  const identity = { appName, userId: body.userId };
  const authorizing = call.authorize(identity);
  if (authorizing) await authorizing;
  const runner = findRunner(context, appName);
  if (!body.newMessage) throw await resumeError(runner, { ...identity, sessionId: body.sessionId }, body);
  if (body.stateDelta) assertWritableState(body.stateDelta, context);
  const deps: unknown = context.deps && (await context.deps(request, identity));
  context.runs.assertCapacity();
  const run = runner.runAsync({
    userId: body.userId,
    sessionId: body.sessionId,
    newMessage: body.newMessage,
    stateDelta: body.stateDelta ?? undefined,
    deps,
    // The event of the user's message shows that the run has started.
    yieldUserMessage: p.yieldUserMessage,
    runConfig: {
      streamingMode: p.streaming ? 'sse' : 'none',
      reader: p.detached ? 'detached' : 'attached',
      timeLimitMs: context.limits.runMs,
      toolErrors: context.toolErrors,
      customMetadata: body.customMetadata ?? undefined,
    },
  });
  // Creates the iterator before `run.done` is read below: a run whose `done` is read first continues without a reader.
  if (!p.detached) run[Symbol.asyncIterator]();
  context.runs.add(run);
  const ref: SessionRef = { ...identity, sessionId: body.sessionId };
  return { run, ref, split: !body.functionCallEventId, where: { ...ref, invocationId: run.invocationId } };
}

/** Returns the reason why a run cannot be resumed: resuming is not supported yet. */
async function resumeError(runner: Runner, ref: SessionRef, { invocationId }: RunBody): Promise<TholeError> {
  const { sessionService } = runner;
  const session = await sessionService.getSession(ref);
  if (!session) return sessionNotFound(ref);
  const lease = await sessionService.leasing?.current(ref);
  if (lease?.invocationId === invocationId && !lease?.expired)
    return new TholeError('SESSION_BUSY', `Invocation ${invocationId} is still running in session ${ref.sessionId}.`);
  const isKnown = session.events.some((event) => event.invocationId === invocationId);
  const reason = isKnown ? 'has ended, and the server cannot resume it' : 'is not in the session';
  const message = `There is nothing to resume: invocation ${invocationId} ${reason}. Send a newMessage.`;
  return new TholeError('NOT_FOUND', message);
}

function onlyApp({ context }: RouteCall<RunBody>): string {
  const names = [...context.runners.keys()];
  if (names.length === 1) return names[0]!;
  throw new TholeError('INVALID_INPUT', 'body.appName must be the name of one of the apps.');
}

function stream({ context }: RouteCall<unknown, unknown>, source: FrameSource, invocationId: string): Response {
  const { limits, runtime } = context;
  return sseResponse(source, { runtime, heartbeatMs: limits.heartbeatMs, invocationId });
}

function lastEventId(request: Request): number {
  const header = request.headers.get('last-event-id');
  if (header === null || header === '') return 0;
  if (!/^\d{1,15}$/.test(header)) throw new TholeError('INVALID_INPUT', 'Last-Event-ID must be the seq of an event.');
  return Number(header);
}
