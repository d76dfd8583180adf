import { TholeError } from '@thole/core';
import type { Event, LogFields, SessionRef } from '@thole/core';
import type { Run, Runner } from '@thole/runner';
import { z } from 'zod';
import { assertClientState } from '../http/client-state.ts';
import { failedRunFrame } from '../runs/end-frames.ts';
import { endWhenLeft } from '../runs/end-when-left.ts';
import { runnerNamed } from '../http/runner-named.ts';
import { wireJson } from '../http/wire-event.ts';
import { listOf, objectOf, ref, yesOrNo } from '../openapi/schema.ts';
import { route } from '../route.ts';
import type { Route, RouteCall } from '../route.ts';
import { LiveRunFrames } from '../runs/live-run-frames.ts';
import { LiveRun } from '../runs/live-run.ts';
import { runBody } from '../runs/run-body.ts';
import type { RunBody } from '../runs/run-body.ts';
import { RunFrames } from '../runs/run-frames.ts';
import { beginningWith, sseResponse, wholeSseResponse } from '../runs/sse-response.ts';
import type { FrameSource } from '../runs/sse-response.ts';
import { storedEvents, StoredRun } from '../runs/stored-run.ts';
import { noSession } from './session-ref.ts';

const RUN = '/apps/:app/users/:user/sessions/:session/runs/:invocation';
const failures = {
  400: 'Something in the body is missing or wrong',
  404: 'No such app or session',
  409: 'The session is busy',
};

/** Runs: answered whole or as a stream, followed again, cancelled. */
export const runRoutes: readonly Route[] = [
  route({
    ...{ method: 'POST', paths: ['/run'], tag: 'runs', access: 'body' },
    summary: 'Runs a message and answers the events that were stored.',
    body: runBody,
    returns: listOf(ref('Event')),
    answers: { 200: 'Events', ...failures },
    async handle(call) {
      const { run, where } = await begin(call, { streaming: false, detached: true, told: false });
      const stopWatching = endWhenLeft(run, call);
      const events: string[] = [];
      try {
        for await (const event of run) if (event.author !== 'user' && !event.partial) events.push(wireJson(event));
      } catch (error) {
        call.house.failures.run(error, where, { hasBegun: events.length > 0 });
        throw error;
      } finally {
        stopWatching();
      }
      return new Response(`[${events.join()}]`, { headers: { 'content-type': 'application/json' } });
    },
  }),
  route({
    ...{ method: 'POST', paths: ['/run_sse'], tag: 'runs', access: 'body' },
    summary: 'Runs a message and streams its events; what goes wrong before the first is a plain answer.',
    body: runBody,
    answers: { 200: 'text/event-stream of events', ...failures },
    handle: (call) => (call.house.onDisconnect === 'continue' ? streamLive(call) : streamOwn(call)),
  }),
  route({
    ...{ method: 'GET', paths: [`${RUN}/events`], tag: 'runs' },
    summary: 'The rest of a run, going on or over: events after `after`, or after the header Last-Event-ID.',
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    answers: { 200: 'text/event-stream of events', 404: 'No such session or run' },
    async handle(call) {
      const { house, names, runner } = call;
      const ref: SessionRef = { appName: names.app, userId: names.user, sessionId: names.session };
      const invocationId = names['invocation']!;
      const failed = (error: unknown): string =>
        failedRunFrame(error, house.failures, { where: { ...ref, invocationId } });
      const p = { sessions: runner.sessionService, ref, invocationId, runtime: house.runtime, failed };
      const after = call.query.after ?? lastEventId(call.request);
      const live = house.runs.find(ref, p.invocationId);
      const source: FrameSource = live
        ? new LiveRunFrames(live, { after, failed, stored: (seq) => storedEvents({ ...p, after: seq }) })
        : await StoredRun.open({ ...p, after });
      return stream(call, source, p.invocationId);
    },
  }),
  route({
    ...{ method: 'POST', paths: [`${RUN}/cancel`], tag: 'runs' },
    summary: 'Asks a run to stop, whichever process runs it.',
    returns: objectOf({ cancelled: yesOrNo }),
    answers: { 200: '{cancelled}: whether it was going on' },
    async handle({ names, runner }) {
      const p = { userId: names.user, sessionId: names.session, invocationId: names['invocation']! };
      return Response.json({ cancelled: await runner.cancel(p) });
    },
  }),
];

/** The client reads the run itself, at its own pace; when it leaves, the run ends. */
async function streamOwn(call: RouteCall<RunBody>): Promise<Response> {
  const { house, body } = call;
  const { run, split, where } = await begin(call, { streaming: body.streaming ?? false, detached: false, told: true });
  const stopWatching = endWhenLeft(run, call);
  let first: IteratorResult<Event>;
  try {
    first = await run.next();
  } catch (error) {
    house.failures.run(error, where, { hasBegun: false });
    throw error;
  } finally {
    stopWatching();
  }
  const failed = (error: unknown): string => failedRunFrame(error, house.failures, { where });
  const frames = new RunFrames(run, { first, split, runtime: house.runtime, failed });
  // Asked for at once, whether or not the client reads already. A run that needs nothing of the world is over with this turn.
  let begun: string | undefined;
  const beginning = frames.next().then((text) => (begun = text));
  await house.runtime.afterMicrotasks?.();
  if (begun !== undefined && frames.ended) return wholeSseResponse(begun, run);
  return stream(call, beginningWith(beginning, frames), run.invocationId);
}

/** The run goes on by itself, and the client is the first to follow it. */
async function streamLive(call: RouteCall<RunBody>): Promise<Response> {
  const { run, ref, split, where } = await begin(call, {
    streaming: call.body.streaming ?? false,
    detached: true,
    told: true,
  });
  const failed = (error: unknown, hasBegun: boolean): string =>
    failedRunFrame(error, call.house.failures, { where, hasBegun });
  const live = new LiveRun(run, { ref, mostChars: call.house.limits.runBufferChars, split, failed });
  call.house.runs.show(live, run);
  await live.begun;
  const p = { sessions: runnerNamed(call.house, ref.appName).sessionService, ref, invocationId: run.invocationId };
  const source = new LiveRunFrames(live, {
    failed: (error) => failed(error, true),
    stored: (after) => storedEvents({ ...p, after }),
  });
  return stream(call, source, run.invocationId);
}

interface Begun {
  run: Run;
  ref: SessionRef;
  /** Whether an event that says something and saves artifacts goes out as two frames. */
  split: boolean;
  /** The ids of the run, for the log. */
  where: LogFields;
}

async function begin(
  call: RouteCall<RunBody>,
  p: { streaming: boolean; detached: boolean; told: boolean },
): Promise<Begun> {
  const { body, house, request } = call;
  const appName = body.appName ?? onlyApp(call);
  const identity = { appName, userId: body.userId };
  const asking = call.permit(identity);
  if (asking) await asking;
  const runner = runnerNamed(house, appName);
  if (!body.newMessage) throw await nothingToResume(runner, { ...identity, sessionId: body.sessionId }, body);
  if (body.stateDelta) assertClientState(body.stateDelta, house);
  const deps: unknown = house.deps && (await house.deps(request, identity));
  house.runs.check();
  const run = runner.runAsync({
    userId: body.userId,
    sessionId: body.sessionId,
    newMessage: body.newMessage,
    stateDelta: body.stateDelta ?? undefined,
    deps,
    // The user's own event is the sign that the run has begun.
    yieldUserMessage: p.told,
    runConfig: {
      streamingMode: p.streaming ? 'sse' : 'none',
      reader: p.detached ? 'detached' : 'attached',
      timeLimitMs: house.limits.runMs,
      toolErrors: house.toolErrors,
      customMetadata: body.customMetadata ?? undefined,
    },
  });
  // Whoever asks when a run is done without reading it lets it go on by itself.
  if (!p.detached) run[Symbol.asyncIterator]();
  house.runs.add(run);
  const ref: SessionRef = { ...identity, sessionId: body.sessionId };
  return { run, ref, split: !body.functionCallEventId, where: { ...ref, invocationId: run.invocationId } };
}

/** Runs cannot be resumed yet: returns why there is nothing to resume. */
async function nothingToResume(runner: Runner, ref: SessionRef, { invocationId }: RunBody): Promise<TholeError> {
  const { sessionService } = runner;
  const session = await sessionService.getSession(ref);
  if (!session) return noSession(ref);
  const lease = await sessionService.leasing?.current(ref);
  if (lease?.invocationId === invocationId && !lease?.expired)
    return new TholeError('SESSION_BUSY', `Invocation ${invocationId} is still running in session ${ref.sessionId}.`);
  const isKnown = session.events.some((event) => event.invocationId === invocationId);
  const why = isKnown ? 'has ended, and the server cannot resume it' : 'is not in the session';
  const next = 'Send a newMessage.';
  return new TholeError('NOT_FOUND', `There is nothing to resume: invocation ${invocationId} ${why}. ${next}`);
}

function onlyApp({ house }: RouteCall<RunBody>): string {
  const names = [...house.runners.keys()];
  if (names.length === 1) return names[0]!;
  throw new TholeError('INVALID_INPUT', 'body.appName: expected the name of one of the apps.');
}

function stream({ house }: { house: RouteCall['house'] }, source: FrameSource, invocationId: string): Response {
  return sseResponse(source, { runtime: house.runtime, heartbeatMs: house.limits.heartbeatMs, invocationId });
}

function lastEventId(request: Request): number {
  const given = request.headers.get('last-event-id');
  if (given === null || given === '') return 0;
  if (!/^\d{1,15}$/.test(given)) throw new TholeError('INVALID_INPUT', 'Last-Event-ID must be the seq of an event.');
  return Number(given);
}
