import { callStatus, createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import {
  assertCount,
  invalidInput,
  isWaiting,
  optionNames,
  rejectUnknownOptions,
  requestKindOf,
  sessionKeyOf,
} from '@thole/core/kit';
import type { Event, RunConfig, Runtime, SessionRef, SessionService, WaitingKind, WaitingSession } from '@thole/core';
import { interruptsOf } from '../history/interrupt-fold.ts';
import { placeOf } from '../history/progress.ts';
import { isModelAnswer } from '../history/turn-segments.ts';
import type { RunRequest } from '../invocation/run-request.ts';
import type { RunTask } from '../invocation/run-task.ts';
import { missingTransferTarget, namesOf } from './missing-agent.ts';
import { isLlmAgent } from '../request/is-llm-agent.ts';
import { SET_MODEL_RESPONSE } from '../request/set-model-response-tool.ts';
import type { Run, RunResult } from '../runner/run.ts';
import type { ResumeInit } from '../runner/runner-deps.ts';
import { LiveSession } from '../session/live-session.ts';

/** Reason why recovery skips an invocation. `held`: another run is active in its session. `ended`: also if it was deleted. */
export type SkipReason = 'held' | 'ended' | 'not-due' | 'waiting-for-retry' | 'unknown-agent-or-tool';

/** An invocation that recovery resumes. */
export interface RecoveredInvocation {
  ref: SessionRef;
  invocationId: string;
}

/** Options of `Runner.recover`. */
export interface RecoverOptions<T = unknown> {
  /** Maximum number of invocations to resume. Default: all. */
  limit?: number | undefined;
  /** Number of invocations that are resumed at the same time. Default: 4. */
  concurrency?: number | undefined;
  /** Returns the `deps` and the `runConfig` of a resumed run, which are not stored. Default: none. */
  contextFor?:
    | ((p: RecoveredInvocation) => { deps?: T | undefined; runConfig?: RunConfig | undefined } | undefined)
    | undefined;
  /** Ends the recovery. Runs that have begun continue. */
  signal?: AbortSignal | undefined;
}

/** The result of one recovered invocation. */
export interface RecoveryResult extends RecoveredInvocation {
  /** `skipped`: the invocation was not resumed now; `reason` is set. */
  outcome: RunResult['status'] | 'skipped';
  reason?: SkipReason | undefined;
  /** Error of a failed run. */
  error?: TholeError | undefined;
}

const names = optionNames<RecoverOptions>({ limit: true, concurrency: true, contextFor: true, signal: true });

/** The parts of a runner that recovery uses. */
export interface RecoveryInit {
  readonly appName: string;
  readonly service: SessionService;
  readonly runtime: Runtime;
  /** Creates a run that continues an invocation, or ends with `SESSION_BUSY` if another run holds the session. */
  readonly createRun: (ref: SessionRef, request: RunRequest, resume: ResumeInit) => Run;
}

/**
 * Resumes the invocations that crashed processes left unfinished, and those with due timers or expired interrupts. Throws
 * `LEASING_NOT_SUPPORTED` if the session service has no leases or no list of waiting sessions.
 */
export async function* recover(init: RecoveryInit, options: RecoverOptions = {}): AsyncGenerator<RecoveryResult, void> {
  rejectUnknownOptions(options, names, 'recover');
  const { concurrency = 4, limit = Infinity, signal } = options;
  assertCount('concurrency', concurrency, 1);
  if (limit !== Infinity) assertCount('limit', limit);
  if (options.contextFor !== undefined && typeof options.contextFor !== 'function')
    throw invalidInput('contextFor', 'a function', options.contextFor);
  assertRecoverable(init.service);
  const active = new Set<Promise<RecoveryResult>>();
  const settled: RecoveryResult[] = [];
  /** The newest job of each session. Jobs of one session run one after another, because each needs its lease. */
  const newest = new Map<string, Promise<RecoveryResult>>();
  let begun = 0;
  for await (const found of untilAborted(waitingInvocations(init, signal), signal)) {
    if (begun >= limit || signal?.aborted) break;
    const session = sessionKeyOf(found.ref);
    const resumed = Promise.resolve(newest.get(session)).then(() => resumeOne(init, found, options));
    const job = resumed.then((result) => {
      active.delete(job);
      settled.push(result);
      return result;
    });
    active.add(job);
    newest.set(session, job);
    begun++;
    if (active.size >= concurrency) await Promise.race(active);
    while (settled.length > 0) yield settled.shift()!;
  }
  while (active.size > 0 || settled.length > 0) {
    if (settled.length === 0) await Promise.race(active);
    while (settled.length > 0) yield settled.shift()!;
  }
}

/** Throws `LEASING_NOT_SUPPORTED` unless the service has leases and lists waiting sessions. */
function assertRecoverable(service: SessionService): void {
  const { leasing } = service;
  if (leasing && service.listWaitingSessions !== undefined) return;
  const missing = leasing ? 'listWaitingSessions()' : 'leases';
  throw new TholeError('LEASING_NOT_SUPPORTED', `recover needs a session service with ${missing}.`);
}

/** Yields the items. Ends, instead of throwing, if the signal is aborted. */
async function* untilAborted<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T, void> {
  try {
    yield* items;
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

async function* waitingInvocations(
  init: RecoveryInit,
  signal: AbortSignal | undefined,
): AsyncGenerator<RecoveredInvocation, void> {
  const { appName, service } = init;
  const seen = new Set<string>();
  for (const kind of ['unfinished', 'due'] as const) {
    for await (const waiting of waitingSessions(service, { appName, kind, signal })) {
      for (const invocationId of await invocationsOf(init, waiting, kind, signal)) {
        const key = JSON.stringify([waiting.key.userId, waiting.key.sessionId, invocationId]);
        if (seen.has(key)) continue;
        seen.add(key);
        yield { ref: waiting.key, invocationId };
      }
    }
  }
}

async function* waitingSessions(
  service: SessionService,
  p: { appName: string; kind: WaitingKind; signal: AbortSignal | undefined },
): AsyncGenerator<WaitingSession, void> {
  let after: string | undefined;
  do {
    const page = await service.listWaitingSessions!({ ...p, after });
    yield* page.sessions;
    after = page.next;
  } while (after !== undefined);
}

/** Returns the unfinished invocation of the session, or its invocations with a due interrupt. */
async function invocationsOf(
  { runtime, service }: RecoveryInit,
  { key, marks }: WaitingSession,
  kind: WaitingKind,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (!isWaiting(marks, kind)) return [];
  if (kind === 'unfinished') return [marks.unfinished!];
  const session = await service.getSession({ ...key, signal });
  if (!session) return [];
  const open = [...interruptsOf(new LiveSession(session, undefined)).open];
  // The mark has the earliest time. An invocation with a later time is also continued if the first one is skipped.
  const now = Math.max(marks.wakeAt!, runtime.now());
  const due = open.filter(({ interrupt }) => interrupt.expiresAt !== undefined && interrupt.expiresAt <= now);
  return [...new Set(due.map(({ interrupt }) => interrupt.invocationId))];
}

/** Resumes one invocation. Never rejects. */
export async function resumeOne(
  init: RecoveryInit,
  { ref, invocationId }: RecoveredInvocation,
  { contextFor }: Pick<RecoverOptions, 'contextFor'>,
): Promise<RecoveryResult> {
  let reason: SkipReason | undefined;
  try {
    const { deps, runConfig } = contextFor?.({ ref, invocationId }) ?? {};
    const request = { userId: ref.userId, runConfig: { ...runConfig, reader: 'detached' }, deps } as RunRequest;
    const run = init.createRun(ref, request, {
      invocationId,
      answers: {},
      onSkip: (skipReason) => void (reason = skipReason),
    });
    const { error, status } = await run.result;
    if (error?.code === 'SESSION_BUSY') return { ref, invocationId, outcome: 'skipped', reason: 'held' };
    // The session was deleted, or a rewind removed the invocation.
    if (error?.code === 'SESSION_NOT_FOUND' || error?.code === 'INVOCATION_NOT_FOUND') reason = 'ended';
    if (reason) return { ref, invocationId, outcome: 'skipped', reason };
    return { ref, invocationId, outcome: status, ...(error && { error }) };
  } catch (error) {
    return { ref, invocationId, outcome: 'failed', error: toTholeError(error) };
  }
}

function toTholeError(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('INVALID_INPUT', 'contextFor threw an error. The cause is the original error.', {
    cause: error,
  });
}

/** Pauses before the first, second and third attempt without progress, in seconds. */
const PAUSES_SECONDS = [0, 60, 600];

/**
 * Checks whether recovery may resume the invocation now, and stores an event that counts the attempt. Otherwise returns the reason
 * and stores nothing. Throws `RESUME_FAILED` after three attempts without a new answer of a model or a tool.
 */
export async function beginAttempt(task: RunTask, events: readonly Event[]): Promise<SkipReason | undefined> {
  const { interrupts, invocationId, runner, session } = task;
  const now = runner.runtime.now();
  const open = interrupts.ofInvocation(invocationId).filter(({ isOpen }) => isOpen);
  const isDue = open.some(({ interrupt }) => interrupt.expiresAt !== undefined && interrupt.expiresAt <= now);
  if (interrupts.endOf(invocationId) !== undefined) return 'ended';
  if (session.unfinished !== invocationId && !isDue) return 'not-due';
  if (!events.every((event) => isKnown(task, event))) return 'unknown-agent-or-tool';
  const attempts = attemptsOf(events);
  const n = attempts.length + 1;
  if (n > PAUSES_SECONDS.length) {
    const message = `Recovery tried ${PAUSES_SECONDS.length} times to continue invocation ${invocationId}, without progress.`;
    throw new TholeError('RESUME_FAILED', message);
  }
  // An attempt with a time far ahead was stored while the clock was wrong. It must not delay the next one for years.
  if (Math.abs(now - (attempts.at(-1)?.timestamp ?? 0)) < PAUSES_SECONDS[n - 1]!) return 'waiting-for-retry';
  const event = createEvent({ author: 'system', invocationId, customMetadata: { resumeAttempt: n } }, runner.runtime);
  await task.opened!.committer.commit(event);
  return undefined;
}

/** Returns the attempts since the last answer of a model, a tool or a person. */
function attemptsOf(events: readonly Event[]): Event[] {
  const progress = events.findLastIndex((event) => isModelAnswer(event) || getFunctionResponses(event).length > 0);
  return events.slice(progress + 1).filter(({ customMetadata }) => customMetadata?.['resumeAttempt'] !== undefined);
}

/** True if this app has the agents of the event's path, the target of its transfer, and the tools of its open calls. */
function isKnown({ rootPlace, session, tree }: RunTask, event: Event): boolean {
  if (event.author === 'user' || event.author === 'system') return true;
  if (missingTransferTarget([event], tree) !== undefined) return false;
  const names = namesOf(placeOf(event, rootPlace));
  if (names[0] !== rootPlace) return false;
  // A custom agent may run agents that are not in the tree.
  const isPossible = (name: string, parent: string | undefined): boolean =>
    tree.find(name) !== undefined || (parent !== undefined && !tree.find(parent)?.subAgents?.length);
  if (!names.every((name, i) => isPossible(name, names[i - 1]))) return false;
  if (!isPossible(event.author, names.at(-1))) return false;
  const agent = tree.find(event.author);
  if (!isLlmAgent(agent) || agent.tools.some((tool) => !('name' in tool))) return true;
  return getFunctionCalls(event).every(
    ({ id, name }) =>
      requestKindOf(name) !== undefined ||
      id === undefined ||
      agent.tools.some((tool) => 'name' in tool && tool.name === name) ||
      isBuiltIn(name) ||
      callStatus(session.log, id)?.status === 'answered',
  );
}

/** True for a tool that the flow adds itself. */
function isBuiltIn(name: string): boolean {
  return name === 'transfer_to_agent' || name === SET_MODEL_RESPONSE;
}
