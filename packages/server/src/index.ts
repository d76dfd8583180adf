export { bearerToken } from './bearer-token.ts';
export { createHandler } from './handler.ts';
export type { Handler } from './handler.ts';
export type { ClientScope, HandlerOptions, Identity, Ui } from './handler-options.ts';
export type { LimitOptions, Limits } from './limits.ts';
export { SpanMemory } from './traces/span-memory.ts';
export type { SpanMemoryOptions } from './traces/span-memory.ts';
