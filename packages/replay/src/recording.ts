import { readFile } from 'node:fs/promises';
import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Event, EventActions, JsonObject, Json, LlmResponse, StateDelta, StateMap } from '@thole/core';

/** Version of the file that this package writes and reads. */
export const RECORDING_VERSION = 1;

/** The recorded runs of one session, as plain JSON. */
export interface Recording {
  version: typeof RECORDING_VERSION;
  app: { name: string; agents: string[]; tools: string[] };
  /** The session before the first run. Null if it did not exist. */
  session: RecordedSession | null;
  /** The runs in order. An invocation that paused has several runs. */
  runs: RecordedRun[];
}

/** The session before the first run. `state` contains its `app:` and `user:` state. */
export interface RecordedSession {
  userId: string;
  sessionId: string;
  state: StateMap;
  events: Event[];
}

/** One run with its calls of models and tools. */
export interface RecordedRun {
  kind: 'run' | 'resume';
  /** The request without `deps`, signal and `temp:` state. */
  request: JsonObject;
  /** The events of the run that are not partial, including the user's message. */
  events: Event[];
  /** The error that the run threw. */
  error?: RecordedError | undefined;
  /** Calls of models and tools in the order of their start. */
  calls: RecordedCall[];
  /** Steps of agents with their results. Undefined in recordings of older versions: a replay then runs the steps. */
  steps?: RecordedAgentStep[] | undefined;
  /** Ids that the runtime returned: kind, id, and the time in seconds since the epoch. */
  ids: [kind: string, id: string, time: number][];
  /** Random numbers of the runtime. */
  random: number[];
}

/** A step that an agent has run. `path` is the place of the agent, and `n` counts its steps with this name. */
export interface RecordedAgentStep extends CallMembers {
  path: string;
  name: string;
  n: number;
  result?: Json | undefined;
  /** True if a replay runs the step: it paused, or it made calls or other steps. */
  runs?: boolean | undefined;
  /** Changes of state without `temp:` keys. Undefined in recordings of older versions. */
  stateDelta?: StateDelta | undefined;
  /** Undefined in recordings of older versions. */
  artifactDelta?: EventActions['artifactDelta'] | undefined;
}

/** A recorded call of a model or a tool. */
export type RecordedCall = RecordedModelCall | RecordedToolCall;

/** Members that all recorded calls have. */
interface CallMembers {
  agent: string;
  /** Position among all calls in the order of their end, from 1. Undefined if the run ended before the call. */
  end?: number | undefined;
  error?: RecordedError | undefined;
}

/** A call of a model: its request, and its responses with the partial ones. */
export interface RecordedModelCall extends CallMembers {
  kind: 'model';
  branch?: string | undefined;
  /** The request without `providerOptions`. */
  request: JsonObject;
  responses: LlmResponse[];
}

/** A call of a tool: its arguments, its result, and the changes that it made. */
export interface RecordedToolCall extends CallMembers {
  kind: 'tool';
  tool: string;
  args: JsonObject;
  /** Undefined if the tool returned nothing. */
  result?: Json | undefined;
  /** True if a replay runs the tool: it paused, or it ran an agent. */
  runs?: boolean | undefined;
  /** True if the tool was still running after the run had ended. */
  isUnstopped?: boolean | undefined;
  /** Results of `context.step`, in order. A replay runs a step with `runs`, which ran an agent. */
  steps: { name: string; result?: Json | undefined; error?: RecordedError | undefined; runs?: boolean | undefined }[];
  /** Changes of state without `temp:` keys. */
  stateDelta: StateDelta;
  actions: Partial<EventActions>;
}

/** An error. Its cause and stack are not recorded. */
export interface RecordedError {
  name: string;
  message: string;
  code?: string | undefined;
  details?: JsonObject | undefined;
  retryable?: boolean | undefined;
}

/**
 * Returns the recording of a file. Throws `RECORDING_INVALID` with the path of the file if it cannot be read, or has another
 * format or version.
 */
export async function readRecording(file: string): Promise<Recording> {
  let problem = 'cannot be read';
  let value: unknown;
  try {
    const bytes = await readFile(file);
    problem = 'is not UTF-8 text';
    // Also removes the byte order mark of editors on Windows.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    problem = 'is not JSON';
    value = JSON.parse(text);
  } catch (cause) {
    throw recordingInvalid(file, problem, cause);
  }
  return checkRecording(value, file);
}

/**
 * Returns the value if it has the format of a recording. Throws `RECORDING_INVALID` with the path of the file, if there is
 * one, and the path of the wrong member.
 */
export function checkRecording(value: unknown, file?: string): Recording {
  const invalid = (problem: string): TholeError => recordingInvalid(file, problem);
  if (!isPlainObject(value) || typeof value['version'] !== 'number') throw invalid('must be an object with a version');
  const { app, runs, session, version } = value;
  if (version !== RECORDING_VERSION)
    throw invalid(`has the version ${version}, but this package reads version ${RECORDING_VERSION}`);
  if (!isPlainObject(app) || typeof app['name'] !== 'string') throw invalid('must have app.name');
  if (session !== null && !isSession(session))
    throw invalid('must have a session with userId, sessionId, state and events, or null');
  if (!Array.isArray(runs) || runs.length === 0) throw invalid('must have at least one run');
  runs.forEach((run: unknown, i) => {
    if (!hasLists(run, 'events', 'calls', 'ids', 'random') || !isPlainObject(run['request']))
      throw invalid(`must have request, events, calls, ids and random in runs[${i}]`);
    if (run['steps'] !== undefined && !hasObjects(run, 'steps'))
      throw invalid(`must have a list of objects in runs[${i}].steps`);
    if (!hasObjects(run, 'events')) throw invalid(`has a wrong member in runs[${i}].events`);
    if (!(run['ids'] as unknown[]).every(isId)) throw invalid(`has a wrong member in runs[${i}].ids`);
    (run['calls'] as unknown[]).forEach((call, j) => {
      if (!isCall(call)) throw invalid(`has a wrong call in runs[${i}].calls[${j}]`);
    });
  });
  return value as unknown as Recording;
}

/** Returns an error that names the file, if there is one, the problem, and the next step. */
export function recordingInvalid(file: string | undefined, problem: string, cause?: unknown): TholeError {
  const message =
    file === undefined
      ? `The recording ${problem}. Record the run again.`
      : `The recording ${file} ${problem}. Check the path, or record the run again.`;
  return new TholeError('RECORDING_INVALID', message, { cause });
}

function isSession(session: unknown): boolean {
  if (!isPlainObject(session) || !hasObjects(session, 'events') || !isPlainObject(session['state'])) return false;
  return typeof session['userId'] === 'string' && typeof session['sessionId'] === 'string';
}

function isCall(call: unknown): boolean {
  if (!isPlainObject(call) || typeof call['agent'] !== 'string') return false;
  if (call['kind'] === 'model') return isPlainObject(call['request']) && hasObjects(call, 'responses');
  return call['kind'] === 'tool' && typeof call['tool'] === 'string' && hasObjects(call, 'steps');
}

function isId(id: unknown): boolean {
  return Array.isArray(id) && typeof id[0] === 'string' && typeof id[1] === 'string' && typeof id[2] === 'number';
}

function hasLists(value: unknown, ...names: string[]): value is { [name: string]: unknown } {
  return isPlainObject(value) && names.every((name) => Array.isArray(value[name]));
}

function hasObjects(value: { readonly [name: string]: unknown }, name: string): boolean {
  const list = value[name];
  return Array.isArray(list) && list.every((each) => isPlainObject(each));
}
