import type { Logger, Span, Tracer } from './runtime.ts';

/** Logs nothing. The default logger. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** Records nothing; its ids are empty. Used when no tracer records. */
export const silentSpan: Span = Object.freeze({ traceId: '', spanId: '', isSilent: true, set() {}, end() {} });

/** Records nothing. */
export const silentTracer: Tracer = Object.freeze({ isSilent: true, start: () => silentSpan });
