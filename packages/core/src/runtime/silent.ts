import type { Logger, Span, Tracer } from './runtime.ts';

/** Says nothing: what a library does until it is asked. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

const noSpan: Span = Object.freeze({ traceId: '', spanId: '', set() {}, end() {} });

/** Records nothing. */
export const silentTracer: Tracer = Object.freeze({ start: () => noSpan });
