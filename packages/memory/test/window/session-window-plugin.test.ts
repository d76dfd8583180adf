import type { Event, EventLog, InvocationContext, Part } from '@thole/core';
import { SessionWindowPlugin } from '@thole/memory/window';
import { describe, expect, it } from 'vitest';
import { said } from '../support/talks.ts';

/** `u1 a1 u2 …`: what is spoken; `c1(x,y)`: calls; `r1(x)`: answers by the agent; `ur1(x)`: answers that come from the user. */
function history(text: string, runs: { [id: string]: string } = {}): Event[] {
  return text.split(' ').map((word, i) => {
    const [, kind = '', id = '', ids = ''] = /^(u|a|c|r|ur|blank|system)(\d+)(?:\((.*)\))?$/.exec(word)!;
    const calls = ids.split(',').filter(Boolean);
    const parts: Part[] = {
      u: [{ text: word }],
      a: [{ text: word }],
      system: [{ text: word }],
      blank: [{ text: ' ' }],
      c: calls.map((call) => ({ functionCall: { id: call, name: 'find', args: {} } })),
      r: calls.map((call) => ({ functionResponse: { id: call, name: 'find', response: {} } })),
      ur: calls.map((call) => ({ functionResponse: { id: call, name: 'find', response: {} } })),
    }[kind as 'u']!;
    const author = kind === 'system' ? 'system' : /^(u|ur|blank)$/.test(kind) ? 'user' : 'concierge';
    const invocationId = runs[word] ?? `run${id}`;
    return { ...said(author, word, ''), content: { parts }, invocationId, seq: i + 1 };
  });
}

function shown(turns: number, events: readonly Event[], invocationId: string = 'run-now'): string {
  const log = {
    length: events.length,
    epoch: 0,
    at: (i: number) => events[i],
    [Symbol.iterator]: () => events.values(),
  };
  const choice = new SessionWindowPlugin({ turns }).selectHistoryCallback({
    invocationContext: { invocationId } as InvocationContext,
    events: log as EventLog,
  });
  if (choice === undefined) return 'all';
  const chosen = 'fromSeq' in choice ? events.filter(({ seq }) => seq! >= choice.fromSeq) : choice;
  return chosen.map(({ id }) => id).join(' ');
}

describe('SessionWindowPlugin', () => {
  it('shows the last turns that the user truly spoke, with all that followed each', () => {
    const events = history('u1 a1 u2 c2(x) r2(x) a2 u3 a3');
    expect(shown(1, events)).toBe('u3 a3');
    expect(shown(2, events)).toBe('u2 c2(x) r2(x) a2 u3 a3');
    expect(shown(3, events)).toBe('all');
    expect(shown(30, events)).toBe('all');
  });

  it('takes answers to calls, blank messages and what others wrote for no turns', () => {
    const events = history('u1 a1 u2 c2(x) ur2(x) a2 system3 blank4 a4');
    expect(shown(1, events)).toBe('u2 c2(x) ur2(x) a2 system3 blank4 a4');
    expect(shown(2, events)).toBe('all');
  });

  it('takes a file for something said', () => {
    const events = history('u1 a1 u2 a2');
    const file = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const sent = { ...said('user', 'file', ''), content: { parts: [file] }, seq: 5, invocationId: 'run3' };
    expect(shown(1, [...events, sent])).toBe('file');
  });

  it('shows the call of an answer that comes late, with the other answers to that event’s calls and nothing else from there', () => {
    const events = history('u1 c1(x,y) r1(y) a1 u2 a2 u3 ur3(x) a3');
    expect(shown(1, events)).toBe('c1(x,y) r1(y) u3 ur3(x) a3');
    expect(shown(2, events)).toBe('c1(x,y) r1(y) u2 a2 u3 ur3(x) a3');
  });

  it('never shows less than the running invocation', () => {
    const runs = { u3: 'run2', u2: 'run2', a2: 'run2' };
    const events = history('u1 a1 u2 a2 u3', runs);
    expect(shown(1, events, 'run2')).toBe('u2 a2 u3');
    expect(shown(1, events, 'another')).toBe('u3');
  });

  it('an answer of the user that goes on with a paused run keeps the turn it belongs to', () => {
    const events = history('u1 a1 u2 c2(x) ur3(x)', { 'ur3(x)': 'run3' });
    expect(shown(1, events, 'run3')).toBe('u2 c2(x) ur3(x)');
  });

  it('shows nothing else of a session that is empty, and refuses a number of turns that is none', () => {
    expect(shown(1, [])).toBe('all');
    for (const turns of [0, -1, 1.5, '3'] as number[])
      expect(() => new SessionWindowPlugin({ turns })).toThrow('turns');
    expect(() => new SessionWindowPlugin({ turn: 3 } as object)).toThrow('turn');
  });
});
