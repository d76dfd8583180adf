import { getFunctionResponses } from '@thole/core';
import { errorFields, invalidInput, optionNames, rejectUnknownOptions, setCallInterceptor } from '@thole/core/kit';
import type { Agent, App, Event, Llm, ModelFactory, SessionRef, StateDelta, StateMap } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { Runner } from '@thole/runner';
import type { ResumeRequest, RunnerOptions, RunRequest } from '@thole/runner';
import { describeDifference } from './describe-difference.ts';
import { firstDifference } from './first-difference.ts';
import { toRecordedError } from './recorded-error.ts';
import { checkRecording, readRecording, recordingInvalid } from './recording.ts';
import type { RecordedRun, Recording } from './recording.ts';
import { ReplayRuntime } from './replay-runtime.ts';
import { ReplayInterceptor } from './replay-interceptor.ts';
import { toJson } from './to-json.ts';

/** The first place at which the current code differs from the recording. */
export interface ReplayDifference {
  /** Position of the run in the recording, from 0. */
  run: number;
  /** Position in the run, from 0, of the first event that differs, or of the event to which the call belongs. */
  index: number;
  /** The recorded event at this position. Undefined if the current run has more events than the recording. */
  event: Event | undefined;
  /**
   * The call or error that differs, such as `call 2 of the model of root` or `the error of the run`. Undefined if an
   * event differs.
   */
  call?: string | undefined;
  /** Path in the event, the model request, the tool's arguments or the error. Empty for the whole value. */
  path: string;
  expected: unknown;
  actual: unknown;
}

/** The result of a replay. */
export interface ReplayResult {
  equal: boolean;
  difference?: ReplayDifference | undefined;
  /** The result as a text to show. */
  text: string;
}

/** Options of `replayRun`: services that are read for prompts, such as memory that is loaded for each message. */
export interface ReplayOptions extends Pick<RunnerOptions, 'memoryService' | 'artifactService' | 'authenticator'> {
  /** The value of `context.deps` in callbacks and tools. */
  deps?: unknown;
}

const names = optionNames<ReplayOptions>({
  memoryService: true,
  artifactService: true,
  authenticator: true,
  deps: true,
});

/**
 * Runs an app or agent on a recording or its file, and compares the events and calls. Models, tools and steps return
 * their recorded answers. Only tools and steps that paused, ran an agent or made other steps run again. Ids, times and
 * `seq` of events are not compared, and neither is the order between events of parallel branches and between the answers to the
 * calls of one turn. Compactions are off. Throws `RECORDING_INVALID` if the file is not a recording, and the
 * errors of `Runner` for an invalid app.
 */
export async function replayRun(
  file: string | Recording,
  app: App | Agent,
  options: ReplayOptions = {},
): Promise<ReplayResult> {
  rejectUnknownOptions(options, names, 'replayRun');
  if (typeof app !== 'object' || app === null) throw invalidInput('app', 'an app or its root agent', app);
  const recording = typeof file === 'string' ? await readRecording(file) : checkRecording(file);
  const { deps, ...services } = options;
  const runtime = new ReplayRuntime();
  const interceptor = new ReplayInterceptor();
  setCallInterceptor(runtime, interceptor);
  const sessionService = await restoreSession(recording).catch((cause: unknown) => {
    throw recordingInvalid(typeof file === 'string' ? file : undefined, 'has a session that cannot be restored', cause);
  });
  const runner = new Runner({
    ...services,
    app: appOf(recording, app),
    sessionService,
    runtime,
    autoCreateSession: recording.session === null && recording.runs[0]!.error?.code !== 'SESSION_NOT_FOUND',
  });
  try {
    for (const [index, run] of recording.runs.entries()) {
      const found = await compareRun({ run, runner, runtime, interceptor, deps });
      if (!found) continue;
      const { cause, ...place } = found;
      const difference = { run: index, event: run.events[place.index], ...place };
      const text = describeDifference(difference, recording.runs.length);
      return { equal: false, difference, text: cause === undefined ? text : `${text}\n  cause:    ${stackOf(cause)}` };
    }
  } finally {
    await runner.close();
  }
  const events = recording.runs.reduce((sum, each) => sum + each.events.length, 0);
  return { equal: true, text: `Equal: ${events} ${events === 1 ? 'event' : 'events'}.` };
}

/** A difference within a run, and the error that explains it. */
type RunDifference = Omit<ReplayDifference, 'run' | 'event'> & { cause?: unknown };

interface ReplaySetup {
  run: RecordedRun;
  runner: Runner;
  runtime: ReplayRuntime;
  interceptor: ReplayInterceptor;
  deps: unknown;
}

/** Runs the current code on a recorded run, and returns the first difference. */
async function compareRun(p: ReplaySetup): Promise<RunDifference | undefined> {
  const { interceptor, run: recorded } = p;
  const { differing, remaining, error, failure } = await replayEvents(p);
  if (differing) return { ...differing, cause: differing.path === 'errorMessage' ? failure?.cause : undefined };
  const [missing] = remaining;
  const index = missing ? recorded.events.indexOf(missing) : recorded.events.length;
  if (interceptor.difference) return { index, ...interceptor.difference };
  const found = firstDifference(recorded.error && errorToCompare(recorded.error), error);
  if (found) return { index, call: 'the error of the run', ...found, cause: error && failure?.cause };
  if (missing) return { index, path: '', expected: toComparable(missing), actual: undefined };
  const unused = interceptor.unusedCall();
  return unused && { index, ...unused };
}

/** The events of a run, compared with the recording until the first difference. */
interface ReplayedRun {
  /** The first event that differs. */
  differing: RunDifference | undefined;
  /** The recorded events that the run has not repeated. */
  remaining: readonly Event[];
  /** The error that the run threw. */
  error: object | undefined;
  /** The error in the result of the run, with its cause. */
  failure: { readonly cause?: unknown } | undefined;
}

async function replayEvents({ run: recorded, runner, runtime, interceptor, deps }: ReplaySetup): Promise<ReplayedRun> {
  const stop = new AbortController();
  runtime.startRun(recorded);
  interceptor.startRun(recorded, stop);
  const request = { ...recorded.request, abortSignal: stop.signal, ...(deps !== undefined && { deps }) } as unknown;
  const run =
    recorded.kind === 'resume' ? runner.resume(request as ResumeRequest) : runner.runAsync(request as RunRequest);
  let isOver = false;
  const driving = interceptor.drive(runtime, () => isOver);
  const remaining = [...recorded.events];
  let differing: RunDifference | undefined;
  let error: object | undefined;
  try {
    for await (const event of run) {
      if (event.partial) continue;
      if (interceptor.difference) break;
      const at = positionOf(event, remaining);
      const expected = remaining[at];
      const found = firstDifference(expected && toComparable(expected), toComparable(event));
      if (found) {
        differing = { index: expected ? recorded.events.indexOf(expected) : recorded.events.length, ...found };
        break;
      }
      remaining.splice(at, 1);
    }
  } catch (thrown) {
    error = errorToCompare(toRecordedError(thrown));
  } finally {
    stop.abort();
    await runner.idle();
    isOver = true;
    await driving;
  }
  const { error: failure } = await run.result;
  return { differing, remaining, error, failure };
}

/**
 * Returns the position of the recorded event to compare. The order of events of parallel branches, and of the answers to the
 * calls of one turn, depends on timing.
 */
function positionOf(event: Event, recorded: readonly Event[]): number {
  const callId = answeredCall(event);
  let first: number | undefined;
  for (const [i, each] of recorded.entries()) {
    if (each.branch !== event.branch) continue;
    first ??= i;
    const recordedId = answeredCall(each);
    if (callId === undefined || recordedId === undefined) break;
    if (recordedId === callId) return i;
  }
  return first ?? 0;
}

/** Returns the id of the call that this event answers. It is empty if a call that is answered later has changed state. */
function answeredCall({ author, content, errorCode }: Event): string | undefined {
  if (author === 'user') return undefined;
  if (!content && !errorCode) return '';
  return getFunctionResponses({ content })[0]?.id;
}

function appOf({ app: { name } }: Recording, app: App | Agent): App {
  const given: App = 'rootAgent' in app ? app : { name, rootAgent: app };
  return { ...given, name, compaction: undefined, models: [recordedModels(given.models ?? [])] };
}

/**
 * Returns a factory for models by name. If the app cannot create a model, for example without its key, the model only
 * has its name.
 */
function recordedModels(factories: readonly ModelFactory[]): ModelFactory {
  const create = (model: string): Llm => {
    try {
      const created = factories.find((each) => each.supports(model))?.create(model);
      if (created) return created;
    } catch {
      // Only the name is needed: the answers are recorded.
    }
    return { model, specVersion: 1, generateContentAsync: () => fail() };
  };
  return { patterns: ['*'], supports: () => true, create };
}

function fail(): never {
  throw new Error('A replay calls no model.');
}

/** Returns a service with the session before the first run, and with its `app:` and `user:` state. */
async function restoreSession({ app, session }: Recording): Promise<InMemorySessionService> {
  const service = new InMemorySessionService();
  if (!session) return service;
  const ref: SessionRef = { appName: app.name, userId: session.userId, sessionId: session.sessionId };
  const isShared = (key: string): boolean => key.startsWith('app:') || key.startsWith('user:');
  const shared = membersOf(session.state, isShared);
  if (Object.keys(shared).length > 0) {
    const other = { ...ref, sessionId: `${ref.sessionId} state` };
    await service.createSession({ ...other, state: shared });
    await service.deleteSession(other);
  }
  const initialState = membersOf(session.state, (key) => !isShared(key)) as StateMap;
  await service.insertSession({ ...ref, initialState, events: session.events });
  return service;
}

function membersOf(state: StateDelta, isMember: (key: string) => boolean): StateDelta {
  return Object.fromEntries(Object.entries(state).filter(([key]) => isMember(key)));
}

/** Returns the members of an event that are compared. The error comes first, because an event with an error has no content. */
function toComparable(event: Event): object {
  const { id: _id, seq: _seq, timestamp: _timestamp, errorMessage, ...rest } = toJson(event);
  return { errorMessage, ...rest };
}

/** Returns the stack of an error, which shows the place in the code of the app. */
function stackOf(error: unknown): string {
  const fields = errorFields(error);
  return fields.stack ?? fields.error;
}

function errorToCompare({ code, message, name }: ReturnType<typeof toRecordedError>): object {
  return code === undefined ? { name, message } : { code };
}
