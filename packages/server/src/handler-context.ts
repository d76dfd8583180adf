import type { Runtime } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { ClientScope, HandlerOptions, Ui } from './handler-options.ts';
import type { Limits } from './limits.ts';
import type { ErrorLog } from './logging/error-log.ts';
import type { ActiveRuns } from './runs/active-runs.ts';
import type { SpanMemory } from './traces/span-memory.ts';

/** The state and options that all routes of a handler share. */
export interface HandlerContext {
  readonly runners: ReadonlyMap<string, Runner>;
  /** The runtime of the options, with the logger of the handler. */
  readonly runtime: Runtime;
  readonly errorLog: ErrorLog;
  readonly limits: Limits;
  readonly onDisconnect: 'abort' | 'continue';
  /** True if the handler continues invocations of dead processes. */
  readonly recovers: boolean;
  /** True if the handler has `authorize`. */
  readonly hasAuthorize: boolean;
  readonly authorizeScope: HandlerOptions['authorizeScope'];
  readonly clientMayWrite: ReadonlySet<ClientScope>;
  readonly ui: Ui | undefined;
  readonly basePath: string;
  readonly toolErrors: HandlerOptions['toolErrors'];
  /** `deps` of the options. The second call for a request returns the result of the first. */
  readonly deps: HandlerOptions['deps'];
  readonly traces: SpanMemory | undefined;
  readonly runs: ActiveRuns;
  /** Returns the OpenAPI document as JSON. It is created at the first call. */
  openApi(): string;
}
