import { TholeError } from '@thole/core';
import type { SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import { z } from 'zod';
import { checkClientState } from '../edge/client-state.ts';
import { endWhenLeft } from '../runs/end-when-left.ts';
import { runnerNamed } from '../edge/runner-named.ts';
import { wireJson } from '../edge/wire-event.ts';
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
    answers: { 200: 'Events', ...failures },
    async handle(call) {
      const { run } = await begin(call, { streaming: false, detached: true, told: false });
      const stopWatching = endWhenLeft(run, call);
      const events: string[] = [];
      try {
        for await (const event of run) if (event.author !== 'user' && !event.partial) events.push(wireJson(event));
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
      const p = { sessions: runner.sessionService, ref, invocationId: names['invocation']!, runtime: house.runtime };
      const after = call.query.after ?? lastEventId(call.request);
      const live = house.runs.find(ref, p.invocationId);
      const source: FrameSource = live
        ? new LiveRunFrames(live, { after, stored: (seq) => storedEvents({ ...p, after: seq }) })
        : await StoredRun.open({ ...p, after });
      return stream(call, source, p.invocationId);
    },
  }),
  route({
    ...{ method: 'POST', paths: [`${RUN}/cancel`], tag: 'runs' },
    summary: 'Asks a run to stop, whichever process runs it.',
    answers: { 200: '{cancelled}: whether it was going on' },
    async handle({ names, runner }) {
      const p = { userId: names.user, sessionId: names.session, invocationId: names['invocation']! };
      return Response.json({ cancelled: await runner.cancel(p) });
    },
  }),
];

/** The client reads the run itself, at its own pace; when it leaves, the run ends. */
async function streamOwn(call: RouteCall<RunBody>): Promise<Response> {
  const { run, split } = await begin(call, { streaming: call.body.streaming ?? false, detached: false, told: true });
  const stopWatching = endWhenLeft(run, call);
  const first = await run.next().finally(stopWatching);
  const frames = new RunFrames(run, { first, split, runtime: call.house.runtime });
  // Asked for at once, whether or not the client reads already. A run that needs nothing of the world is over with this turn.
  let begun: string | undefined;
  const beginning = frames.next().then((text) => (begun = text));
  await call.house.runtime.turnOver?.();
  if (begun !== undefined && frames.ended) return wholeSseResponse(begun, run);
  return stream(call, beginningWith(beginning, frames), run.invocationId);
}

/** The run goes on by itself, and the client is the first to follow it. */
async function streamLive(call: RouteCall<RunBody>): Promise<Response> {
  const { run, ref, split } = await begin(call, {
    streaming: call.body.streaming ?? false,
    detached: true,
    told: true,
  });
  const live = new LiveRun(run, { ref, mostChars: call.house.limits.runBufferChars, split });
  call.house.runs.show(live, run);
  await live.begun;
  const p = { sessions: runnerNamed(call.house, ref.appName).sessionService, ref, invocationId: run.invocationId };
  const source = new LiveRunFrames(live, { stored: (after) => storedEvents({ ...p, after }) });
  return stream(call, source, run.invocationId);
}

async function begin(
  call: RouteCall<RunBody>,
  p: { streaming: boolean; detached: boolean; told: boolean },
): Promise<{ run: Run; ref: SessionRef; split: boolean }> {
  const { body, house, request } = call;
  const appName = body.appName ?? onlyApp(call);
  const identity = { appName, userId: body.userId };
  const asking = call.permit(identity);
  if (asking) await asking;
  const runner = runnerNamed(house, appName);
  if (body.stateDelta) checkClientState(body.stateDelta, house);
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
      customMetadata: body.customMetadata ?? undefined,
    },
  });
  // Whoever asks when a run is done without reading it lets it go on by itself.
  if (!p.detached) run[Symbol.asyncIterator]();
  house.runs.add(run);
  const ref: SessionRef = { ...identity, sessionId: body.sessionId };
  return { run, ref, split: !body.functionCallEventId };
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
