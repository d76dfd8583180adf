import { TholeError } from '@thole/core';
import type { Event, Session, SessionRef } from '@thole/core';
import type { Run } from '@thole/runner';
import { findRunner } from '../http/find-runner.ts';
import { abortOnDisconnect } from '../runs/abort-on-disconnect.ts';
import { BufferReader } from '../runs/buffer-reader.ts';
import { mayContinue, responseError } from '../runs/may-continue.ts';
import { RunBuffer } from '../runs/run-buffer.ts';
import { sseResponse } from '../runs/sse-response.ts';
import { startRun } from '../runs/start-run.ts';
import type { RunCall, RunRequest } from '../runs/start-run.ts';
import { readStoredEvents } from '../runs/stored-run-reader.ts';
import { AttachedEvents } from './attached-events.ts';
import { EncodedReader } from './encoded-reader.ts';
import { toRunFailure } from './event-encoder.ts';
import type { EventEncoder, RunFailure } from './event-encoder.ts';
import type { RunEvents } from './run-events.ts';
import { StoredRunEvents } from './stored-run-events.ts';

/** The format of a streamed response. */
export interface StreamFormat {
  /** A new encoder, which is used for this response only. */
  encoder: EventEncoder;
  /** Additional response headers. */
  headers?: Record<string, string> | undefined;
  /** True if clients cannot read the rest elsewhere. If the server closes, they have to send the message again. */
  isReadOnce?: boolean | undefined;
}

/**
 * Starts a run and responds with its events in the format of a front end. The handler's option `onDisconnect` decides whether the
 * run continues when the client disconnects. Throws the error of a run that fails before its first event.
 */
export async function streamRun(
  call: RunCall,
  p: StreamFormat & {
    request: Omit<RunRequest, 'detached' | 'yieldUserMessage'>;
    /** True for a run that clients cannot read again. It ends when its client disconnects, regardless of `onDisconnect`. */
    endsWithClient?: boolean | undefined;
    /** Called when the run has started. */
    onStart?: ((run: Run) => void) | undefined;
  },
): Promise<Response> {
  const { context } = call;
  const isDetached = context.onDisconnect === 'continue' && !p.endsWithClient;
  const run = await startRun(call, { ...p.request, detached: isDetached, yieldUserMessage: true });
  p.onStart?.(run);
  const { ref } = p.request;
  const events = isDetached ? await readDetached(call, run, ref) : await readAttached(call, run, ref);
  return respond(call, events, { ...p, ref, invocationId: run.invocationId });
}

/**
 * Responds with the events of an invocation from its start: first the stored events, then the events of its active run in this or
 * another process. Partial events are sent only if this process executes the run with `onDisconnect: 'continue'`. Throws
 * `NOT_FOUND` if the session has no such invocation.
 */
export async function followRun(
  call: RunCall,
  p: StreamFormat & { ref: SessionRef; invocationId: string },
): Promise<Response> {
  const { context } = call;
  const { ref, invocationId } = p;
  const sessions = findRunner(context, ref.appName).sessionService;
  const buffer = context.runs.findEvents(ref, invocationId);
  const events = buffer
    ? readBuffer(call, buffer, { after: 0 })
    : await StoredRunEvents.open({ sessions, ref, invocationId, runtime: context.runtime });
  return respond(call, events, p);
}

/**
 * Responds with the events of an invocation from its start, to a client that has sent its request again. If the process of the
 * invocation has ended before the invocation, this process continues it. `session` is the session as it was just read.
 */
export async function repeatRun(
  call: RunCall,
  p: StreamFormat & { ref: SessionRef; invocationId: string; session: Session },
): Promise<Response> {
  const { invocationId, ref, session } = p;
  const message = session.events.find((each) => each.invocationId === invocationId && each.author === 'user');
  const isUnfinished = session.marks?.unfinished === invocationId;
  if (!message?.content || !isUnfinished || call.context.runs.findEvents(ref, invocationId)) return followRun(call, p);
  const request = { ref, newMessage: message.content, messageId: message.id, streaming: true };
  return streamRun(call, { ...p, request });
}

async function readAttached(call: RunCall, run: Run, ref: SessionRef): Promise<RunEvents> {
  const stopWatching = abortOnDisconnect(run, call, { endsWithClient: true });
  try {
    return new AttachedEvents(run, await run.next());
  } catch (error) {
    call.context.errorLog.logRunError(error, { ...ref, invocationId: run.invocationId }, { hasStarted: false });
    throw responseError(call.context, ref, error);
  } finally {
    stopWatching();
  }
}

async function readDetached(call: RunCall, run: Run, ref: SessionRef): Promise<RunEvents> {
  const { errorLog, limits, runs } = call.context;
  const buffer = new RunBuffer<Event>(run, {
    ref,
    maxChars: limits.runBufferChars,
    toEntry: (event) => {
      const { content, partial, seq } = event;
      return { value: event, chars: JSON.stringify(content ?? '').length, seq, partial };
    },
    onError(error, { hasStarted }) {
      if (hasStarted && mayContinue(call.context, ref, error)) return;
      errorLog.logRunError(error, { ...ref, invocationId: run.invocationId }, { hasStarted });
    },
  });
  await buffer.started.catch((error: unknown) => {
    throw responseError(call.context, ref, error);
  });
  // A run that continues an invocation knows its id only after it has started.
  runs.publishEvents(buffer, run);
  return readBuffer(call, buffer);
}

/** With `after` the reader begins with the stored events of the invocation, otherwise with the events of this run. */
function readBuffer(
  { context }: RunCall,
  buffer: RunBuffer<Event>,
  p: { after?: number | undefined } = {},
): BufferReader<Event> {
  const { invocationId, ref } = buffer;
  const sessions = findRunner(context, ref.appName).sessionService;
  return new BufferReader(buffer, {
    ...p,
    readStored: (after) => readStoredEvents({ sessions, ref, invocationId, after, withUserEvents: true }),
    toValue: (event) => event,
  });
}

function respond(
  { context }: RunCall,
  events: RunEvents,
  p: StreamFormat & { ref: SessionRef; invocationId: string },
): Response {
  const { invocationId, ref } = p;
  const onError = (error: unknown): RunFailure => {
    // Without an error, clients would show the answer as finished.
    if (mayContinue(context, ref, error))
      return toRunFailure(p.isReadOnce ? responseError(context, ref, error) : streamClosed(error));
    context.errorLog.logRunError(error, { ...ref, invocationId }, { hasStarted: true });
    return toRunFailure(error);
  };
  const reader = new EncodedReader(events, { encoder: p.encoder, invocationId, onError });
  const { limits, runtime } = context;
  const response = sseResponse(reader, { runtime, heartbeatMs: limits.heartbeatMs, invocationId });
  for (const [name, value] of Object.entries(p.headers ?? {})) response.headers.set(name, value);
  return response;
}

/** Returns the error of a stream that ends before its run, which another process continues. */
function streamClosed(cause: unknown): TholeError {
  const message =
    'The server is about to close. Another process can continue the run: read the stream of the run again.';
  return new TholeError('SERVER_BUSY', message, { cause });
}
