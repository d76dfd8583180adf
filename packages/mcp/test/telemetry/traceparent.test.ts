import { silentSpan } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';
import { formatTraceparent, parseTraceparent } from '../../src/telemetry/traceparent.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('parseTraceparent', () => {
  it.each([
    ['a sampled trace', `00-${traceId}-${spanId}-01`, true],
    ['a trace that is not sampled', `00-${traceId}-${spanId}-00`, false],
    ['other flags', `00-${traceId}-${spanId}-03`, true],
    ['a later version with more fields', `01-${traceId}-${spanId}-01-more`, true],
  ])('reads %s', (_, text, isSampled) => {
    expect(parseTraceparent(text)).toMatchObject({ traceId, spanId, takesContent: isSampled });
  });

  it.each([
    ['no text', undefined],
    ['an empty text', ''],
    ['more fields in the first version', `00-${traceId}-${spanId}-01-more`],
    ['an unknown version', `ff-${traceId}-${spanId}-01`],
    ['capital letters', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['a short id', `00-${traceId.slice(1)}-${spanId}-01`],
    ['text around it', ` 00-${traceId}-${spanId}-01`],
  ])('returns undefined for %s', (_, text) => {
    expect(parseTraceparent(text)).toBe(undefined);
  });
});

describe('formatTraceparent', () => {
  it('returns a text that parseTraceparent reads', () => {
    for (const takesContent of [true, false]) {
      const text = formatTraceparent({ ...{ traceId, spanId, takesContent }, set() {}, end() {} });
      expect(parseTraceparent(text)).toMatchObject({ traceId, spanId, takesContent });
    }
  });

  it('returns undefined for a silent span, and for ids of another form', () => {
    expect(formatTraceparent(silentSpan)).toBe(undefined);
    expect(formatTraceparent({ traceId: 'trace-1', spanId: 'span-1', set() {}, end() {} })).toBe(undefined);
  });
});
