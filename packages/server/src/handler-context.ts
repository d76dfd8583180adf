import type { Runtime } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { ClientScope, HandlerOptions, Ui } from './handler-options.ts';
import type { Limits } from './limits.ts';
import type { Failures } from './logging/failures.ts';
import type { Route } from './route.ts';
import type { LiveRuns } from './runs/live-runs.ts';
import type { SpanMemory } from './traces/span-memory.ts';

/** What all routes of a handler share. */
export interface HandlerContext {
  readonly runners: ReadonlyMap<string, Runner>;
  /** With the handler's logger. */
  readonly runtime: Runtime;
  readonly failures: Failures;
  readonly limits: Limits;
  readonly onDisconnect: 'abort' | 'continue';
  /** Whether an `authorize` stands before it. */
  readonly guarded: boolean;
  readonly clientMayWrite: ReadonlySet<ClientScope>;
  readonly ui: Ui | undefined;
  readonly basePath: string;
  readonly toolErrors: HandlerOptions['toolErrors'];
  readonly deps: HandlerOptions['deps'];
  readonly traces: SpanMemory | undefined;
  readonly runs: LiveRuns;
  readonly routes: readonly Route[];
}
