import type { Logger, Span, Tracer } from './runtime.ts';

/** Says nothing: what a library does until it is asked. */
export const silentLogger: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** Keeps nothing; its ids are empty. It stands where a span would, if anybody recorded one. */
export const silentSpan: Span = Object.freeze({ traceId: '', spanId: '', isSilent: true, set() {}, end() {} });

/** Records nothing. */
export const silentTracer: Tracer = Object.freeze({ isSilent: true, start: () => silentSpan });
