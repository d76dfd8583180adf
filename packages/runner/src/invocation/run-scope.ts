import type { Agent, Content, Event, MaybePromise, RunConfig, StateMap } from '@thole/core';
import type { RunTrace } from '../traces/run-trace.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { RunHost, WithinParent } from '../runner/runner-deps.ts';
import type { UnstoredChanges } from '../contexts/pending-changes.ts';

/** What the contexts of one run share. */
export interface RunScope {
  readonly invocationId: string;
  readonly live: LiveSession;
  /** `temp:` values, as long as the invocation lives. */
  readonly temp: StateMap;
  readonly userContent: Content;
  readonly signal: AbortSignal;
  /** The caller's own. */
  readonly deps: unknown;
  readonly runConfig: RunConfig;
  readonly host: RunHost;
  /** Undefined where nobody records. */
  readonly trace: RunTrace | undefined;
  ended: boolean;
  /** Changes that events under way have taken. */
  readonly unstored: UnstoredChanges;
  /** How many model calls, tool calls and child runs are waited for. */
  underWay: number;
  /** Called while the run closes before its end. */
  closers: Set<() => void | Promise<void>> | undefined;
  /** Throws `CONTEXT_CLOSED` once the run has ended. */
  readonly assertOpen: () => void;
  /** Throws why the run ends where nothing new may begin: it was stopped, or its reader left at a final response. */
  assertMayBegin(): void;
  /** A wait for the event loop where the run has kept it for too long; else undefined. */
  eventLoopTurn(): Promise<void> | undefined;
  /** Notes which agent threw this error; the first agent that is named counts. */
  failedIn(agent: Agent, error: unknown): void;
  /** An agent begins: its name stands for it from now on. */
  entered(agent: Agent): void;
  /** What was stored; undefined for what a plugin dropped. A partial event is answered as it is. Throws why the run was stopped. */
  commit(event: Event): MaybePromise<Event | undefined>;
  show(event: Event): void;
  runChild(p: WithinParent): AsyncIterable<Event>;
}
