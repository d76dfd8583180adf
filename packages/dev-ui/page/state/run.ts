import { ClientError } from '@thole/client';
import type { ClientRun } from '@thole/client';
import { computed, signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { Event } from '@thole/core';
import { openKey } from './session.ts';
import type { SentMessage } from './sent-message.ts';

/** State of the newest run of a session. */
export type RunState =
  | { kind: 'idle' }
  | { kind: 'running'; invocationId?: string | undefined; startedAt: number; reconnecting?: boolean | undefined }
  | { kind: 'failed'; error: unknown };

/** A run that this page reads, or the newest run that failed. */
export interface RunRecord {
  state: RunState;
  reader?: ClientRun | undefined;
  /** The messages that this page sent, oldest first, until their events are known. */
  sent: readonly SentMessage[];
  streaming: readonly Event[];
  /** Set if a run answers an earlier invocation again, until the rewind is known. */
  replaces?: ReplacedInvocation | undefined;
}

/** An invocation that a run answers again. */
export interface ReplacedInvocation {
  invocationId: string;
  /** `seq` of the last event before the run. */
  afterSeq: number;
}

/** Runs by `sessionKey`. The page continues to read a run when another session is opened. */
export const runs: Signal<ReadonlyMap<string, RunRecord>> = signal<ReadonlyMap<string, RunRecord>>(new Map());

const idle: RunRecord = { state: { kind: 'idle' }, sent: [], streaming: [] };
/** The newest run of the open session. */
export const openRun: ReadonlySignal<RunRecord> = computed(() => runs.value.get(openKey.value ?? '') ?? idle);

/** The state of the newest run of the open session. */
export const run: ReadonlySignal<RunState> = computed(() => openRun.value.state);
export const isRunning: ReadonlySignal<boolean> = computed(() => run.value.kind === 'running');

/** Answers being written: the joined partial events, until the complete event arrives. */
export const streaming: ReadonlySignal<readonly Event[]> = computed(() => openRun.value.streaming);

/** The sent messages, oldest first, until their events are known. */
export const sent: ReadonlySignal<readonly SentMessage[]> = computed(() => openRun.value.sent);

export function changeRun(key: string, change: Partial<RunRecord>): void {
  const next = new Map(runs.peek());
  next.set(key, { ...(next.get(key) ?? idle), ...change });
  runs.value = next;
}

/** Removes the errors of runs that the server refused because of the token. */
export function forgetRefusedRuns(): void {
  for (const [key, { state }] of runs.peek())
    if (state.kind === 'failed' && ClientError.is(state.error) && state.error.status === 401)
      changeRun(key, { state: { kind: 'idle' } });
}
