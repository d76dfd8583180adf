import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AgentTree, getFunctionCalls, systemRuntime, TholeError } from '@thole/core';
import {
  invalidInput,
  isPlainObject,
  optionNames,
  rejectUnknownOptions,
  requestNames,
  setCallInterceptor,
} from '@thole/core/kit';
import type { Content, Event, Json, JsonObject, SessionRef, StateDelta } from '@thole/core';
import { Runner } from '@thole/runner';
import type { ResumeRequest, RunnerOptions, RunRequest } from '@thole/runner';
import { toRecordedError } from './recorded-error.ts';
import { RECORDING_VERSION } from './recording.ts';
import type { RecordedRun, RecordedSession, Recording } from './recording.ts';
import { RecordingRuntime } from './recording-runtime.ts';
import { RecordingInterceptor } from './recording-interceptor.ts';
import { mapTexts, toJson } from './to-json.ts';

/** A request of `Runner.runAsync`, or a request of `Runner.resume`, which has `answers`. */
export type RunOrResume<T = unknown> = RunRequest<T> | ResumeRequest<T>;

/** A request, or a function that receives all earlier events and returns a request, for example with answers to interrupts. */
export type RequestToRecord<T = unknown> = RunOrResume<T> | ((events: readonly Event[]) => RunOrResume<T>);

/** Options of `recordRun`. */
export interface RecordRunOptions {
  /** Path of the file to write. Missing folders are created. Default: the recording is only returned. */
  file?: string | undefined;
  /** Replaces each text of the recording, also ids. Equal texts must have equal replacements. Default: no change. */
  redact?: ((text: string) => string) | undefined;
  /** Called with each event of the runs, also partial ones. */
  onEvent?: ((event: Event) => void) | undefined;
}

const names = optionNames<RecordRunOptions>({ file: true, redact: true, onEvent: true });

/**
 * Runs the requests of one session in order with a new runner, and returns the recording. A run that fails is recorded with its
 * error. The recording contains the session before the first run with its state, messages, model requests and responses, tool
 * arguments and results, results of steps, and events. It never contains headers, keys of providers, `providerOptions`, `deps`, `temp:` state or
 * credentials that a user entered to sign in. Compactions are off. Throws `INVALID_INPUT` for wrong options.
 */
export async function recordRun<T = unknown>(
  options: RunnerOptions,
  requests: RequestToRecord<T> | readonly RequestToRecord<T>[],
  p: RecordRunOptions = {},
): Promise<Recording> {
  rejectUnknownOptions(p, names, 'recordRun');
  const list = (Array.isArray(requests) ? requests : [requests]) as readonly RequestToRecord<T>[];
  if (list.length === 0) throw new TholeError('INVALID_INPUT', 'requests must contain at least one request.');
  // Before the runs: an error after them would lose the answers of the models.
  if (p.redact !== undefined && typeof p.redact !== 'function') throw invalidInput('redact', 'a function', p.redact);
  if (p.file !== undefined) await prepareFile(p.file);
  const runtime = new RecordingRuntime(options.runtime ?? systemRuntime());
  const interceptor = new RecordingInterceptor(runtime);
  setCallInterceptor(runtime, interceptor);
  // A summary between two runs would change the next request, and a replay does not summarize.
  const withoutCompaction = options.app ? { ...options, app: { ...options.app, compaction: undefined } } : options;
  const runner = new Runner({ ...withoutCompaction, runtime });
  const agents = [...new AgentTree(runner.agent)];
  const app = { name: runner.appName, agents: agents.map(({ name }) => name), tools: agents.flatMap(toolNames) };
  let session: RecordedSession | null = null;
  const runs: RecordedRun[] = [];
  const events: Event[] = [];
  let sessionId: string | undefined;
  try {
    for (const each of list) {
      const request = typeof each === 'function' ? each(events) : each;
      sessionId = request.sessionId ?? sessionId;
      if (runs.length === 0 && sessionId !== undefined)
        session = await snapshot(runner, { appName: runner.appName, userId: request.userId, sessionId });
      const isResume = 'answers' in request;
      const kind = isResume ? 'resume' : 'run';
      const recorded: RecordedRun = { kind, request: {}, events: [], calls: [], ids: [], random: [] };
      runs.push(recorded);
      runtime.recordInto(recorded);
      interceptor.recordInto(recorded);
      const full = { ...request, ...(sessionId !== undefined && { sessionId }), yieldUserMessage: true };
      const signIns = signInsOf([...(session?.events ?? []), ...events]);
      recorded.request = toRecordedRequest(runs.length === 1 ? { ...request, yieldUserMessage: true } : full, signIns);
      const run = isResume ? runner.resume(full as ResumeRequest<T>) : runner.runAsync(full as RunRequest<T>);
      await recordEvents(run, recorded, (event) => {
        p.onEvent?.(event);
        if (!event.partial) events.push(event);
      });
      sessionId = run.sessionId;
      await runner.idle();
      interceptor.markUnstopped();
    }
  } finally {
    await runner.close();
  }
  const recording = mapTexts(
    toJson<Recording>({ version: RECORDING_VERSION, app, session, runs }),
    p.redact ?? ((text) => text),
  );
  if (p.file !== undefined)
    await writeFile(p.file, `${JSON.stringify(recording, null, 2)}\n`).catch((cause: unknown) => {
      throw new TholeError(
        'STORE_UNAVAILABLE',
        `The recording could not be written to ${p.file}. Check the rights and the free space.`,
        { cause },
      );
    });
  return recording;
}

/** Creates the folder of the file. Throws if the file cannot be written. */
async function prepareFile(file: string): Promise<void> {
  if (typeof file !== 'string' || file === '')
    throw invalidInput('file of recordRun', 'a path that is not empty', file);
  await mkdir(dirname(file), { recursive: true });
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory())
    throw new TholeError('INVALID_INPUT', `file of recordRun must be the path of a file, not of a folder: ${file}`);
  await access(found ? file : dirname(file), constants.W_OK);
}

/** Reads a run to its end. Records its complete events, and its error if it fails. */
async function recordEvents(
  run: AsyncIterable<Event>,
  recorded: RecordedRun,
  onEvent: (event: Event) => void,
): Promise<void> {
  try {
    for await (const event of run) {
      onEvent(event);
      if (!event.partial) recorded.events.push(toJson(event));
    }
  } catch (error) {
    recorded.error = toRecordedError(error);
  }
}

async function snapshot({ sessionService }: Runner, ref: SessionRef): Promise<RecordedSession | null> {
  const session = await sessionService.getSession(ref);
  if (!session) return null;
  const { sessionId, userId } = ref;
  return toJson({ userId, sessionId, state: withoutTemp(session.state), events: [...session.events] });
}

/** Returns the ids of the sign-in requests in these events. */
function signInsOf(events: readonly Event[]): Set<string | undefined> {
  const calls = events.flatMap((event) => getFunctionCalls(event));
  return new Set(calls.filter(({ name }) => name === requestNames.credential).map(({ id }) => id));
}

/** Returns the request without members that cannot or must not be in a file. */
function toRecordedRequest(request: object, signIns: ReadonlySet<string | undefined>): JsonObject {
  const { abortSignal: _signal, deps: _deps, ...rest } = request as RunRequest & ResumeRequest;
  const { answers, newMessage, stateDelta } = rest;
  return toJson({
    ...rest,
    ...(stateDelta && { stateDelta: withoutTemp(stateDelta) }),
    ...(answers && {
      answers: mapValues(answers, (value, id) => (signIns.has(id) ? withoutCredential(value) : value)),
    }),
    ...(typeof newMessage === 'object' && { newMessage: withoutCredentials(newMessage, signIns) }),
  }) as unknown as JsonObject;
}

function withoutCredentials(message: Content, signIns: ReadonlySet<string | undefined>): Content {
  const parts = message.parts?.map((part) => {
    const { functionResponse } = part;
    if (!functionResponse || !signIns.has(functionResponse.id)) return part;
    const { id, name, response } = functionResponse;
    return { functionResponse: { ...(id !== undefined && { id }), name, response: withoutCredential(response) } };
  });
  return { ...message, ...(parts && { parts }) };
}

/** Returns the answer to a sign-in request without codes and keys. */
function withoutCredential(answer: Json): JsonObject {
  const error = isPlainObject(answer) ? answer['error'] : undefined;
  return typeof error === 'string' ? { error } : { status: 'received' };
}

function mapValues(
  values: { readonly [name: string]: Json },
  map: (value: Json, name: string) => Json,
): { [name: string]: Json } {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

function withoutTemp<M extends StateDelta>(state: M): M {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !key.startsWith('temp:'))) as M;
}

/** Returns the names of an agent's tools. Tools of toolsets are not listed. */
function toolNames(agent: object): string[] {
  const { tools } = agent as { tools?: readonly { name?: string; runAsync?: unknown }[] };
  return (tools ?? []).flatMap(({ name, runAsync }) => (runAsync && name !== undefined ? [name] : []));
}
