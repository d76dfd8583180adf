import type { Event, EventLog, InvocationContext, Part } from '@thole/core';
import { SessionWindowPlugin } from '@thole/memory';
import { FixedRuntime } from '@thole/testing';
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

  it('shows the call of an answer that comes late, with its message, the other answers to that event’s calls and nothing else from there', () => {
    const events = history('u1 c1(x,y) r1(y) a1 u2 a2 u3 ur3(x) a3');
    expect(shown(1, events)).toBe('u1 c1(x,y) r1(y) u3 ur3(x) a3');
    expect(shown(2, events)).toBe('u1 c1(x,y) r1(y) u2 a2 u3 ur3(x) a3');
  });

  it('never shows less than the running invocation', () => {
    const runs = { u3: 'run2', u2: 'run2', a2: 'run2' };
    const events = history('u1 a1 u2 a2 u3', runs);
    expect(shown(1, events, 'run2')).toBe('u2 a2 u3');
    expect(shown(1, events, 'another')).toBe('u3');
  });

  it('never shows less than it, though somebody else has spoken meanwhile', () => {
    const runs = { u2: 'now', 'c2(x)': 'now', 'r2(x)': 'now' };
    const events = history('u1 a1 u2 c2(x) u3 system4 r2(x)', runs);
    expect(shown(1, events, 'now')).toBe('u2 c2(x) u3 system4 r2(x)');
  });

  it('shows all of what one answer holds for several calls, and of those calls', () => {
    const events = history('u1 c1(w) r1(w) c2(x,y) c3(z) ur4(y,z) a4 u5 ur5(x)');
    expect(shown(1, events)).toBe('u1 c2(x,y) c3(z) ur4(y,z) u5 ur5(x)');
  });

  it('takes the latest of two calls under one id', () => {
    const events = history('u1 c1(x) r1(x) u2 c2(x) u3 ur3(x)');
    expect(shown(1, events)).toBe('u2 c2(x) u3 ur3(x)');
  });

  it.each([1, 2, 3])('whatever is shown of calls and answers is whole, in any history (seed %i)', (seed) => {
    const runtime = new FixedRuntime({ seed });
    const below = (count: number): number => Math.floor(runtime.random() * count);
    for (let round = 0; round < 400; round++) {
      let calls = 0;
      const open: string[] = [];
      const words = Array.from({ length: 3 + below(25) }, (_, i) => {
        const kind = ['u', 'u', 'a', 'c', 'c', 'r', 'ur', 'system', 'blank'][below(9)]!;
        if (kind === 'c') {
          const ids = Array.from({ length: 1 + below(3) }, () => `k${calls++}`);
          open.push(...ids);
          return `c${i}(${ids.join()})`;
        }
        if (kind !== 'r' && kind !== 'ur') return `${kind}${i}`;
        const answered = Array.from(
          { length: Math.min(open.length, 1 + below(3)) },
          () => open.splice(below(open.length), 1)[0],
        );
        return `${kind}${i}(${answered.join()})`;
      });
      const runs = Object.fromEntries(words.map((word) => [word, `run${below(4)}`]));
      const events = history(words.join(' '), runs);
      const turns = 1 + below(3);
      const chosen = shown(turns, events, 'run0');
      const ids = chosen === 'all' ? words : chosen.split(' ');
      const told = JSON.stringify({ words, turns, chosen });
      expect(ids, told).toEqual(words.filter((word) => ids.includes(word)));
      expect(
        words.filter((word) => runs[word] === 'run0' && !ids.includes(word)),
        told,
      ).toEqual([]);
      const touched = new Set(ids.flatMap((word) => /\((.+)\)/.exec(word)?.[1]?.split(',') ?? []));
      const touching = words.filter((word) =>
        (/\((.+)\)/.exec(word)?.[1]?.split(',') ?? []).some((id) => touched.has(id)),
      );
      expect(
        touching.filter((word) => !ids.includes(word)),
        told,
      ).toEqual([]);
      const begin = words.indexOf(ids[0]!);
      const isSpoken = (word: string): boolean => /^u\d/.test(word);
      if (runs[ids[0]!] !== 'run0' && words.slice(0, begin).some(isSpoken)) expect(ids[0], told).toMatch(/^u\d/);
      const spoken = words.filter(isSpoken);
      expect(
        spoken.slice(-turns).filter((word) => !ids.includes(word)),
        told,
      ).toEqual([]);
    }
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
