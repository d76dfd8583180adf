import { FixedRuntime, RecordingTracer } from '@thole/testing';
import { describe, expect, it } from 'vitest';

describe('RecordingTracer', () => {
  it('keeps names, parents, attributes, errors, and the number of ends of each span', () => {
    const tracer = new RecordingTracer();
    const runtime = new FixedRuntime({ tracer });
    const parent = runtime.tracer.start('parent', { a: 1, b: undefined });
    const child = runtime.tracer.start('child', {}, parent);
    runtime.tracer.start('other').end();
    child.set({ a: null, c: 'c' });
    child.end('broken');
    expect(tracer.outline()).toEqual(['parent', '  child', 'other']);
    expect(tracer.named('parent')).toMatchObject({ attributes: { a: 1 }, ends: 0, error: undefined });
    expect(tracer.named('parent').attributes).not.toHaveProperty('b');
    expect(tracer.named('child')).toMatchObject({ attributes: { a: null, c: 'c' }, ends: 1, error: 'broken' });
    expect(tracer.named('child').parent).toBe(tracer.named('parent'));
    expect(child.traceId).toBe(parent.traceId);
    expect(tracer.named('other').spanId).not.toBe(parent.spanId);
  });

  it('lists the spans if the requested one does not exist', () => {
    const tracer = new RecordingTracer({ capturesContent: true });
    tracer.start('one').end();
    expect(() => tracer.named('two')).toThrow(/two.*one/);
    expect([tracer.capturesContent, new RecordingTracer().capturesContent]).toEqual([true, false]);
  });
});
