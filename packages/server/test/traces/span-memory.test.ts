import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { SpanMemory } from '../../src/index.ts';

const root = { 'gen_ai.workflow.name': 'demo', 'user.id': 'ann', 'gen_ai.conversation.id': 's' };

describe('SpanMemory', () => {
  it('creates spans with W3C ids, a parent, and times in nanoseconds', async () => {
    const runtime = new FixedRuntime();
    const memory = new SpanMemory({ runtime });
    const one = memory.start('invocation', root);
    await runtime.advance(2);
    const two = memory.start('generate_content', { 'gen_ai.conversation.id': 's', absent: undefined }, one);
    await runtime.advance(3);
    two.end();
    const other = memory.start('invocation', root);
    const [first, second] = memory.ofSession('s');
    expect(first!.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(first!.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(second).toMatchObject({ name: 'generate_content', traceId: one.traceId, parentSpanId: one.spanId });
    expect([second!.startTime, second!.endTime]).toEqual([1_700_000_000_002_000_000, 1_700_000_000_005_000_000]);
    expect([first!.parentSpanId, first!.endTime]).toEqual([undefined, undefined]);
    expect(second!.attributes).toEqual({ 'gen_ai.conversation.id': 's' });
    expect(new Set([one, two, other].map(({ spanId }) => spanId)).size).toBe(3);
    expect(other.traceId).not.toBe(one.traceId);
  });

  it('captures content, under the names that the page reads', () => {
    expect(new SpanMemory()).toMatchObject({ capturesContent: true, contentNames: 'adk' });
  });

  it('accepts attributes until the end of a span, and ends it once', async () => {
    const runtime = new FixedRuntime();
    const memory = new SpanMemory({ runtime });
    const span = memory.start('execute_tool', root);
    span.set({ 'gcp.vertex.agent.event_id': 'e', __proto__x: 1 });
    span.end();
    await runtime.advance(5);
    span.end();
    span.set({ late: true });
    const recorded = memory.ofEvent('e')!;
    expect(recorded.endTime).toBe(1_700_000_000_000_000_000);
    expect(recorded.attributes).toEqual({ ...root, 'gcp.vertex.agent.event_id': 'e', __proto__x: 1 });
  });

  it('ends no span before its start, also if the clock is set back', () => {
    const runtime = new FixedRuntime();
    const memory = new SpanMemory({ runtime });
    const span = memory.start('invocation', root);
    runtime.now = () => 1_600_000_000;
    span.end();
    const [recorded] = memory.ofSession('s');
    expect(recorded!.endTime).toBe(recorded!.startTime);
  });

  it('returns the newest span of an event', () => {
    const memory = new SpanMemory();
    memory.start('one', { 'gcp.vertex.agent.event_id': 'e' });
    memory.start('two', { 'gcp.vertex.agent.event_id': 'e' });
    expect(memory.ofEvent('e')!.name).toBe('two');
    expect(memory.ofEvent('f')).toBeUndefined();
  });

  it('returns spans of child sessions with their parent session', () => {
    const memory = new SpanMemory();
    const run = memory.start('invocation', root);
    memory.start('invocation', { 'gen_ai.conversation.id': 'child' }, run);
    memory.start('invocation', { 'gen_ai.conversation.id': 'elsewhere' });
    expect(memory.ofSession('s')).toHaveLength(2);
  });

  it('uses the app and user of the root span for all its spans', () => {
    const memory = new SpanMemory();
    const run = memory.start('invocation', root);
    const agent = memory.start('invoke_agent', {}, run);
    memory.start('generate_content', { 'user.id': 'forged', 'gcp.vertex.agent.event_id': 'e' }, agent);
    expect(memory.ofEvent('e')!.owner).toEqual({ appName: 'demo', userId: 'ann' });
  });

  it('removes the oldest complete traces when there are too many spans', () => {
    const memory = new SpanMemory({ spans: 4 });
    const sessions = ['a', 'b', 'c'];
    for (const id of sessions) {
      const run = memory.start('invocation', { 'gen_ai.conversation.id': id });
      memory.start('invoke_agent', {}, run);
    }
    expect(sessions.map((id) => memory.ofSession(id).length)).toEqual([0, 2, 2]);
  });

  it('removes the oldest spans of a single trace that is too large', () => {
    const memory = new SpanMemory({ spans: 3 });
    const run = memory.start('invocation', root);
    for (const n of [1, 2, 3, 4]) memory.start(`agent ${n}`, { 'gen_ai.conversation.id': 's' }, run);
    expect(memory.ofSession('s').map(({ name }) => name)).toEqual(['agent 2', 'agent 3', 'agent 4']);
  });

  it('counts later attributes of retained spans, but not of removed spans', () => {
    const memory = new SpanMemory({ bytes: 99_000 });
    const old = memory.start('invocation', { 'gen_ai.conversation.id': 'old' });
    const span = memory.start('invocation', { 'gen_ai.conversation.id': 'new' });
    span.set({ request: 'x'.repeat(49_000) });
    expect([memory.ofSession('old').length, memory.ofSession('new').length]).toEqual([0, 1]);
    old.set({ request: 'x'.repeat(49_000) });
    expect(memory.ofSession('new')).toHaveLength(1);
    span.set({ request: 'x'.repeat(48_000) });
    expect(memory.ofSession('new')).toHaveLength(1);
    span.set({ response: 'x'.repeat(49_000) });
    expect(memory.ofSession('new')).toEqual([]);
    memory.start('invocation', { 'gen_ai.conversation.id': 'next' });
    expect(memory.ofSession('next')).toHaveLength(1);
  });

  it.each([{ spans: 0 }, { bytes: 1.5 }, { size: 1 } as object])('rejects %j with INVALID_INPUT', (options) => {
    expect(() => new SpanMemory(options)).toThrowError(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });
});
