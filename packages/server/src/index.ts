export { ClientToolset } from './ag-ui/client-toolset.ts';
export { bearerToken } from './bearer-token.ts';
export { createHandler } from './handler.ts';
export type { Client, CloseOptions, Handler } from './handler.ts';
export type {
  Action,
  Authorized,
  ClientScope,
  HandlerOptions,
  Identity,
  ScopeIdentity,
  Ui,
} from './handler-options.ts';
export type { LimitOptions, Limits } from './limits.ts';
export { startRecovery } from './recovery.ts';
export type { Recovery, RecoveryOptions } from './recovery.ts';
export type { RecordedSpan } from './traces/recorded-span.ts';
export { SpanMemory } from './traces/span-memory.ts';
export type { SpanMemoryOptions } from './traces/span-memory.ts';
export { errorText } from './logging/error-text.ts';
export { lineLogger, logLevels } from './logging/line-logger.ts';
export type { LineLoggerOptions, LogLevel } from './logging/line-logger.ts';
