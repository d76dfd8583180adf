import { TholeError } from '@thole/core';
import { isClosingRecord } from '@thole/core/kit';
import type { Event, LogFields, SessionRef } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import { z } from 'zod';
import { assertWritableState } from '../http/assert-writable-state.ts';
import { findRunner } from '../http/find-runner.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import { responseWithSafeHeaders } from '../http/safe-headers.ts';
import { seq } from '../http/schemas.ts';
import { wireEventJson } from '../http/wire-event.ts';
import { boolean, listOf, objectOf, ref } from '../openapi/schema.ts';
import { defineRoute } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { abortOnDisconnect } from '../runs/abort-on-disconnect.ts';
import { AttachedRunReader } from '../runs/attached-run-reader.ts';
import { BufferedRunReader, createFrameEntries } from '../runs/buffered-run-reader.ts';
import { failedRunFrame, failureOfRecord } from '../runs/end-frames.ts';
import { mayContinue, responseError } from '../runs/may-continue.ts';
import { runBody } from '../runs/run-body.ts';
import type { RunBody } from '../runs/run-body.ts';
import { RunBuffer } from '../runs/run-buffer.ts';
import { startRun } from '../runs/start-run.ts';
import { completeSseResponse, sseResponse, withFirstFrames } from '../runs/sse-response.ts';
import type { FrameSource } from '../runs/sse-response.ts';
import { readStoredEvents, StoredRunReader } from '../runs/stored-run-reader.ts';
import { sessionRefOf } from './session-ref.ts';

const RUN = '/apps/:app/users/:user/sessions/:session/runs/:invocation';
const failures = {
  400: 'A member of the body is missing or invalid',
  403: 'An answer that does not fit the recorded request',
  404: 'No such app, session, invocation or interrupt',
  409: 'The session is busy, the interrupt has an answer, or the invocation has ended',
  410: 'The interrupt has expired',
  422: 'An answer of the wrong form. The interrupt stays open',
};

/** Routes that start, stream, read again and cancel runs. */
export const runRoutes: readonly Route[] = [
  defineRoute({
    ...{ method: 'POST', paths: ['/run'], tag: 'runs', access: 'body' },
    summary:
      'Processes a message, or answers to interrupts, and returns the stored events. The header Idempotency-Key is the id of the message.',
    body: runBody,
    returns: listOf(ref('Event')),
    responses: { 200: 'Events', ...failures },
    async handle(call) {
      const { run, ref, logFields } = await startBodyRun(call, {
        streaming: false,
        detached: true,
        yieldUserMessage: false,
      });
      const stopWatching = abortOnDisconnect(run, call);
      const events: string[] = [];
      let last: Event | undefined;
      try {
        for await (const event of run) {
          if (event.author !== 'user' && !event.partial) events.push(wireEventJson(event));
          last = event;
        }
      } catch (error) {
        call.context.errorLog.logRunError(error, logFields(), { hasStarted: events.length > 0 });
        throw responseError(call.context, ref, error);
      } finally {
        stopWatching();
      }
      assertNotFailed(last);
      return responseWithSafeHeaders(`[${events.join()}]`, { 'content-type': 'application/json' });
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
    summary:
      'Streams the events of an active or finished invocation after `after`, or after the header Last-Event-ID. Stays open until another process continues an unfinished invocation, and ends when it pauses.',
    query: z.object({ after: seq.optional() }),
    responses: { 200: 'text/event-stream of events', 404: 'No such session or run' },
    async handle(call) {
      const { context, params, runner } = call;
      const ref = sessionRefOf(call);
      const invocationId = params['invocation']!;
      const toErrorFrame = (error: unknown): string =>
        failedRunFrame(error, context.errorLog, { ...ref, invocationId });
      const p = { sessions: runner.sessionService, ref, invocationId, runtime: context.runtime, toErrorFrame };
      const after = call.query.after ?? readLastEventId(call.request);
      const run = context.runs.find(ref, invocationId);
      const readStored = (seq: number): Promise<readonly Event[]> => readStoredEvents({ ...p, after: seq });
      const source: FrameSource = run
        ? new BufferedRunReader(run, { after, toErrorFrame, readStored })
        : await StoredRunReader.open({ ...p, after });
      return stream(call, source, invocationId);
    },
  }),
  defineRoute({
    ...{
      method: 'POST',
      paths: [`${RUN}/cancel`, '/apps/:app/users/:user/sessions/:session/invocations/:invocation/cancel'],
      tag: 'runs',
      action: 'cancel',
    },
    summary: 'Stops a run in any process, or ends a paused or unfinished invocation.',
    returns: objectOf({ cancelled: boolean }),
    responses: { 200: '{cancelled}: true if there was something to cancel' },
    async handle({ params, runner }) {
      const p = { userId: params.user, sessionId: params.session, invocationId: params['invocation']! };
      return Response.json({ cancelled: await runner.cancel(p) });
    },
  }),
];

/** Throws the error of a failed invocation whose message was sent again. `last` is its last event. */
function assertNotFailed(last: Event | undefined): void {
  if (!last || !isClosingRecord(last)) return;
  const { code, message } = failureOfRecord(last);
  throw new TholeError(code, message);
}

/** Streams a run to its only reader. A slow client slows down the run. The run ends when the client disconnects. */
async function streamAttached(call: RouteCall<RunBody>): Promise<Response> {
  const { context, body } = call;
  const options = { streaming: body.streaming ?? false, detached: false, yieldUserMessage: true };
  const { run, ref, split, logFields } = await startBodyRun(call, options);
  const stopWatching = abortOnDisconnect(run, call);
  let first: IteratorResult<Event>;
  try {
    first = await run.next();
  } catch (error) {
    context.errorLog.logRunError(error, logFields(), { hasStarted: false });
    throw responseError(context, ref, error);
  } finally {
    stopWatching();
  }
  const toErrorFrame = (error: unknown): string =>
    mayContinue(context, ref, error) ? '' : failedRunFrame(error, context.errorLog, logFields());
  const reader = new AttachedRunReader(run, { first, split, runtime: context.runtime, toErrorFrame });
  // The first frames are requested before the client reads, so that a run without I/O is complete after the microtasks.
  let text: string | undefined;
  const firstFrames = reader.next().then((frames) => (text = frames));
  await context.runtime.afterMicrotasks?.();
  if (text !== undefined && reader.ended) return completeSseResponse(text, run);
  return stream(call, withFirstFrames(firstFrames, reader), run.invocationId);
}

/** Streams a run that continues when the client disconnects. Other clients can read it too. */
async function streamDetached(call: RouteCall<RunBody>): Promise<Response> {
  const { context, body } = call;
  const options = { streaming: body.streaming ?? false, detached: true, yieldUserMessage: true };
  const { run, ref, split, logFields } = await startBodyRun(call, options);
  const buffer = new RunBuffer<string>(run, {
    ref,
    maxChars: context.limits.runBufferChars,
    toEntry: createFrameEntries({ split }),
    onError(error, p) {
      if (!mayContinue(context, ref, error)) context.errorLog.logRunError(error, logFields(), p);
    },
  });
  await buffer.started.catch((error: unknown) => {
    throw responseError(context, ref, error);
  });
  // A run that continues an invocation knows its id only after it has started.
  context.runs.publish(buffer, run);
  const p = { sessions: findRunner(context, ref.appName).sessionService, ref, invocationId: run.invocationId };
  const source = new BufferedRunReader(buffer, {
    toErrorFrame: (error) =>
      mayContinue(context, ref, error) ? '' : failedRunFrame(error, context.errorLog, logFields()),
    readStored: (after) => readStoredEvents({ ...p, after }),
  });
  return stream(call, source, run.invocationId);
}

interface StartedRun {
  run: Run;
  ref: SessionRef;
  /** True if an event with parts and artifacts is sent as two frames. */
  split: boolean;
  /** Returns the ids of the run, for the log. */
  logFields: () => LogFields;
}

async function startBodyRun(
  call: RouteCall<RunBody>,
  p: { streaming: boolean; detached: boolean; yieldUserMessage: boolean },
): Promise<StartedRun> {
  const { body, context } = call;
  const appName = body.appName ?? findOnlyApp(call);
  const identity = { appName, userId: body.userId };
  const answerIds = answerIdsIn(body.newMessage);
  const regenerated = body.regenerateInvocationId ?? undefined;
  const action = regenerated === undefined ? (answerIds ? 'answer' : 'run') : 'rewind';
  const authorizing = call.authorize({ ...identity, action });
  if (authorizing) await authorizing;
  if (regenerated !== undefined && context.hasAuthorize) await call.authorizeAgain({ ...identity, action: 'run' });
  const runner = findRunner(context, appName);
  if (answerIds && context.hasAuthorize) await authorizeAnswers(call, runner, { ...identity, answerIds });
  const ref: SessionRef = { ...identity, sessionId: body.sessionId };
  if (!body.newMessage && regenerated === undefined) await assertNotRunning(runner, ref, body);
  if (body.stateDelta) assertWritableState(body.stateDelta, context);
  const run = await startRun(call, {
    ...p,
    ref,
    newMessage: body.newMessage ?? undefined,
    messageId: idempotencyKey(call.request),
    stateDelta: body.stateDelta ?? undefined,
    invocationId: body.invocationId ?? undefined,
    regenerateInvocationId: regenerated,
    customMetadata: body.customMetadata ?? undefined,
  });
  return { run, ref, split: !body.functionCallEventId, logFields: () => ({ ...ref, invocationId: run.invocationId }) };
}

/**
 * Throws `SESSION_BUSY` if the invocation to resume is running, because the resume would wait for its end and then do nothing.
 */
async function assertNotRunning({ sessionService }: Runner, ref: SessionRef, { invocationId }: RunBody): Promise<void> {
  const lease = await sessionService.leasing?.current(ref);
  if (lease && !lease.expired && lease.invocationId === invocationId)
    throw new TholeError('SESSION_BUSY', `Invocation "${invocationId}" is running in session "${ref.sessionId}".`);
}

/** Returns the ids of the calls that a message answers. Undefined for a message without function responses. */
function answerIdsIn(message: RunBody['newMessage']): readonly unknown[] | undefined {
  // The runner validates the message later.
  if (!Array.isArray(message?.parts)) return undefined;
  const responses = message.parts.flatMap((part) => part?.functionResponse ?? []);
  return responses.length > 0 ? responses.map(({ id }) => id) : undefined;
}

/** Calls `authorize` with the open interrupts that the request answers. Throws if it rejects them. */
async function authorizeAnswers(
  call: RouteCall<RunBody>,
  runner: Runner,
  { answerIds, appName, userId }: { answerIds: readonly unknown[]; appName: string; userId: string },
): Promise<void> {
  const open = await runner.pendingInterrupts({ userId, sessionId: call.body.sessionId });
  const interrupts = open.filter(({ id }) => answerIds.includes(id));
  await call.authorizeAgain({ appName, userId, action: 'answer', interrupts });
}

function findOnlyApp({ context }: RouteCall<RunBody>): string {
  const names = [...context.runners.keys()];
  if (names.length === 1) return names[0]!;
  throw new TholeError('INVALID_INPUT', 'body.appName must be the name of one of the apps.');
}

function stream({ context }: RouteCall<unknown, unknown>, source: FrameSource, invocationId: string): Response {
  const { limits, runtime } = context;
  return sseResponse(source, { runtime, heartbeatMs: limits.heartbeatMs, invocationId });
}

function readLastEventId(request: Request): number {
  const header = request.headers.get('last-event-id');
  if (header === null || header === '') return 0;
  if (!/^\d{1,15}$/.test(header)) throw new TholeError('INVALID_INPUT', 'Last-Event-ID must be the seq of an event.');
  return Number(header);
}
