import { describe, expect, it } from 'vitest';
import type { TraceSpan } from '@thole/client';
import { groupByInvocation } from '../../page/inspector/trace/group-by-invocation.ts';
import { spanFacts } from '../../page/inspector/trace/span-facts.ts';
import type { SpanFacts } from '../../page/inspector/trace/span-facts.ts';
import { spanRows, spanTree, sumOf } from '../../page/inspector/trace/span-tree.ts';

const span = (id: string, parent?: string, start = 0, attributes: TraceSpan['attributes'] = {}): SpanFacts =>
  spanFacts({
    name: id,
    span_id: id,
    trace_id: 't',
    parent_span_id: parent,
    start_time: start * 1e6,
    end_time: (start + 10) * 1e6,
    attributes,
  });

describe('spanFacts', () => {
  it('reads agents, models and tools by the GenAI conventions, and times as milliseconds', () => {
    expect(
      span('generate_content m', 'a', 5, {
        'gen_ai.operation.name': 'generate_content',
        'gen_ai.request.model': 'm',
        'gen_ai.agent.name': 'cook',
        'gen_ai.usage.input_tokens': 12,
        'gcp.vertex.agent.event_id': 'e',
        'error.type': 'MODEL_BLOCKED',
      }),
    ).toMatchObject({
      kind: 'model',
      title: 'm',
      agent: 'cook',
      startMs: 5,
      endMs: 15,
      inputTokens: 12,
      outputTokens: undefined,
      eventId: 'e',
      error: 'MODEL_BLOCKED',
    });
    expect(span('execute_tool book')).toMatchObject({ kind: 'tool', title: 'book' });
    expect(span('invoke_agent cook')).toMatchObject({ kind: 'agent', title: 'cook', agent: 'cook' });
    expect(span('invocation')).toMatchObject({ kind: 'other', title: 'invocation' });
  });

  it('returns a cost only if the span has one', () => {
    expect(span('chat m').cost).toBeUndefined();
    expect(span('chat m', undefined, 0, { 'gen_ai.usage.cost': 0.01 }).cost).toBe(0.01);
  });
});

describe('spanTree', () => {
  it('places spans below their parents, by start time; spans without a parent are roots', () => {
    const rows = spanRows(
      spanTree([span('b', 'a', 2), span('c', 'a', 1), span('a', undefined, 0), span('d', 'gone', 9)]),
    );
    expect(rows.map(({ facts, depth }) => `${depth} ${facts.id}`)).toEqual(['0 a', '1 c', '1 b', '0 d']);
    expect(rows[1]).toMatchObject({ position: 1, siblings: 2, isOpen: undefined });
  });

  it('returns all spans of a cycle of parents', () => {
    const rows = spanRows(spanTree([span('a', 'b'), span('b', 'a'), span('c', 'a'), span('self', 'self')]));
    expect(rows.map(({ facts }) => facts.id).sort()).toEqual(['a', 'b', 'c', 'self']);
  });

  it('hides the children of a closed span', () => {
    const rows = spanRows(spanTree([span('a'), span('b', 'a'), span('c', 'b')]), new Set(['b']));
    expect(rows.map(({ facts, isOpen }) => [facts.id, isOpen])).toEqual([
      ['a', true],
      ['b', false],
    ]);
  });
});

describe('sumOf', () => {
  it('returns undefined if no span has a value', () => {
    expect(sumOf([span('a')], 'inputTokens')).toBeUndefined();
    expect(sumOf([span('a'), span('b', 'a', 0, { 'gen_ai.usage.input_tokens': 3 })], 'inputTokens')).toBe(3);
  });
});

describe('groupByInvocation', () => {
  it('finds the invocation also if its first span is missing', () => {
    const groups = groupByInvocation([span('b', 'gone', 1, { 'gcp.vertex.agent.invocation_id': 'run' })]);
    expect([...groups.keys()]).toEqual(['run']);
  });

  it('adds the spans of an agent tool’s separate invocation to the calling run', () => {
    const of = (invocation: string) => ({ 'gcp.vertex.agent.invocation_id': invocation });
    const groups = groupByInvocation([
      span('a', undefined, 0, of('outer')),
      span('b', 'a', 1, of('outer')),
      span('c', 'b', 2, of('inner')),
      { ...span('d', undefined, 9, of('outer')), traceId: 'resumed' },
    ]);
    expect([...groups].map(([id, spans]) => [id, spans.map((each) => each.id)])).toEqual([
      ['outer', ['a', 'b', 'c', 'd']],
    ]);
  });
});
