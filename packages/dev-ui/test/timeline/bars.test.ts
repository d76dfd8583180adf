import { describe, expect, it } from 'vitest';
import { spanFacts } from '../../page/inspector/trace/span-facts.ts';
import type { SpanFacts } from '../../page/inspector/trace/span-facts.ts';
import { barsOfEvents } from '../../page/timeline/bars-of-events.ts';
import { barsOfSpans } from '../../page/timeline/bars-of-spans.ts';
import { turnsOf } from '../../page/timeline/turns.ts';
import { event } from '../inspector/events.ts';

const span = (name: string, parent: string | undefined, from: number, to: number): SpanFacts =>
  spanFacts({
    name,
    span_id: name,
    trace_id: 't',
    parent_span_id: parent,
    start_time: from * 1e6,
    end_time: to * 1e6,
    attributes: {},
  });

describe('barsOfSpans', () => {
  const bars = barsOfSpans([
    span('invocation', undefined, 0, 200),
    span('invoke_agent cook', 'invocation', 10, 190),
    span('generate_content m', 'invoke_agent cook', 10, 60),
    span('execute_tool a', 'invoke_agent cook', 60, 90),
    span('execute_tool b', 'invoke_agent cook', 60, 120),
  ]);

  it('places model calls and tools in the lane of their agent', () => {
    expect(bars.filter(({ kind }) => kind !== 'wait').map(({ lane, kind, label }) => [lane, kind, label])).toEqual([
      ['cook', 'model', 'm'],
      ['cook', 'tool', 'a'],
      ['cook', 'tool', 'b'],
    ]);
  });

  it('shows uncovered time of an agent as waiting, except gaps below five milliseconds', () => {
    expect(bars.filter(({ kind }) => kind === 'wait')).toMatchObject([{ startMs: 120, endMs: 190 }]);
    expect(barsOfSpans([span('invoke_agent a', undefined, 0, 4)])).toEqual([]);
  });

  it('shows no waiting while the longest of several calls runs', () => {
    const spans = [
      span('invoke_agent cook', undefined, 0, 60),
      span('execute_tool a', 'invoke_agent cook', 0, 50),
      span('execute_tool b', 'invoke_agent cook', 10, 20),
    ];
    expect(barsOfSpans(spans).filter(({ kind }) => kind === 'wait')).toMatchObject([{ startMs: 50, endMs: 60 }]);
  });

  it('returns bars for spans in a cycle of parents', () => {
    expect(barsOfSpans([span('chat m', 'chat n', 0, 1), span('chat n', 'chat m', 0, 1)])).toHaveLength(2);
  });
});

describe('barsOfEvents', () => {
  const at = (seconds: number) => ({ timestamp: 1_000 + seconds });
  const call = (id: string) => ({ functionCall: { id, name: `tool_${id}`, args: {} } });
  const answer = (id: string) => ({ functionResponse: { id, name: `tool_${id}`, response: {} } });

  it('starts a model at the previous event, and a tool at its call', () => {
    const bars = barsOfEvents([
      event({ id: 'm', author: 'user', text: 'Hi.', ...at(0) }),
      event({ id: 'c', author: 'cook', parts: [call('1'), call('2')], ...at(2) }),
      event({ id: 'a', author: 'cook', parts: [answer('1'), answer('2')], ...at(5) }),
      event({ id: 's', author: 'cook', text: 'Done.', ...at(6) }),
    ]);
    expect(
      bars.map(({ kind, label, startMs, endMs }) => [kind, label, startMs / 1_000 - 1_000, endMs / 1_000 - 1_000]),
    ).toEqual([
      ['model', 'model', 0, 2],
      ['tool', 'tool_1', 2, 5],
      ['tool', 'tool_2', 2, 5],
      ['model', 'model', 5, 6],
    ]);
  });

  it('shows waiting until a long-running call is answered, in the caller’s lane', () => {
    const bars = barsOfEvents([
      event({ id: 'c', author: 'cook', parts: [call('1')], longRunningToolIds: ['1'], ...at(0) }),
      event({ id: 'a', author: 'user', parts: [answer('1')], ...at(60) }),
    ]);
    expect(bars.at(-1)).toMatchObject({ kind: 'wait', lane: 'cook', label: 'tool_1' });
  });

  it('leaves out an answer of the user to a call of another turn', () => {
    expect(barsOfEvents([event({ id: 'a', author: 'user', parts: [answer('1')], ...at(60) })])).toEqual([]);
  });

  it('shows parallel branches next to each other from their start', () => {
    const bars = barsOfEvents([
      event({ id: 'm', author: 'user', text: 'Hi.', ...at(0) }),
      event({ id: 'x', author: 'x', text: 'X.', branch: 'p.x', ...at(3) }),
      event({ id: 'y', author: 'y', text: 'Y.', branch: 'p.y', ...at(4) }),
      event({ id: 'x2', author: 'x', text: 'X again.', branch: 'p.x', ...at(5) }),
    ]);
    expect(bars.map(({ lane, startMs }) => [lane, startMs / 1_000 - 1_000])).toEqual([
      ['x', 0],
      ['y', 0],
      ['x', 3],
    ]);
  });
});

describe('turnsOf', () => {
  it('groups events by their invocation, also if two alternate', () => {
    const { result } = turnsOf()([
      event({ id: 'a', author: 'user', text: 'One?', invocationId: '1' }),
      event({ id: 'b', author: 'user', text: 'Two?', invocationId: '2' }),
      event({ id: 'c', text: 'One.', invocationId: '1' }),
    ]);
    expect(result.turns.map(({ title, events }) => [title, events.map(({ id }) => id)])).toEqual([
      ['One?', ['a', 'c']],
      ['Two?', ['b']],
    ]);
  });

  it('starts a turn with the first text, not with a change of state', () => {
    const read = turnsOf();
    const events = [
      event({ id: 'a', author: 'system', invocationId: '1' }),
      event({ id: 'b', author: 'user', text: 'Hi.', invocationId: '2' }),
    ];
    expect(read(events).result.turns.map(({ invocationId }) => invocationId)).toEqual(['2']);
    expect(read([...events, event({ id: 'c', text: 'Late.', invocationId: '1' })]).result.turns).toHaveLength(2);
  });
});
