import { FixedRuntime, RecordingTracer } from '@thole/testing';
import { describe, expect, it } from 'vitest';

describe('RecordingTracer', () => {
  it('keeps names, parents, attributes, errors, and the number of ends of each span', () => {
    const tracer = new RecordingTracer();
    const runtime = new FixedRuntime({ tracer });
    const above = runtime.tracer.start('above', { a: 1, b: undefined });
    const below = runtime.tracer.start('below', {}, above);
    runtime.tracer.start('other').end();
    below.set({ a: null, c: 'c' });
    below.end('broken');
    expect(tracer.outline()).toEqual(['above', '  below', 'other']);
    expect(tracer.named('above')).toMatchObject({ attributes: { a: 1 }, ends: 0, error: undefined });
    expect(tracer.named('above').attributes).not.toHaveProperty('b');
    expect(tracer.named('below')).toMatchObject({ attributes: { a: null, c: 'c' }, ends: 1, error: 'broken' });
    expect(tracer.named('below').parent).toBe(tracer.named('above'));
    expect(below.traceId).toBe(above.traceId);
    expect(tracer.named('other').spanId).not.toBe(above.spanId);
  });

  it('lists the spans if the requested one does not exist', () => {
    const tracer = new RecordingTracer({ capturesContent: true });
    tracer.start('one').end();
    expect(() => tracer.named('two')).toThrow(/two.*one/);
    expect([tracer.capturesContent, new RecordingTracer().capturesContent]).toEqual([true, false]);
  });
});
