import type { Span } from '@thole/core';

/** Ids of a trace and a span, and flags. Later versions may add fields. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Returns the W3C trace context of a span. Undefined if the span is silent or its ids have another form. */
export function formatTraceparent({ traceId, spanId, isSilent, takesContent }: Span): string | undefined {
  if (isSilent) return undefined;
  // A span that only measures belongs to a trace that is not sampled.
  const text = `00-${traceId}-${spanId}-${takesContent === false ? '00' : '01'}`;
  return TRACEPARENT.test(text) ? text : undefined;
}

/** Returns the span of another process as a parent. Undefined if the text is not a W3C trace context. */
export function parseTraceparent(text: unknown): Span | undefined {
  const [, version, traceId, spanId, flags, otherFields] =
    typeof text === 'string' ? (TRACEPARENT.exec(text) ?? []) : [];
  if (traceId === undefined || spanId === undefined || (version === '00' && otherFields !== undefined))
    return undefined;
  const isSampled = (parseInt(flags!, 16) & 1) === 1;
  return { traceId, spanId, takesContent: isSampled, set() {}, end() {} };
}
