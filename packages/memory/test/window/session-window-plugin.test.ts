import type { Event, EventLog, InvocationContext, Part } from '@thole/core';
import { SessionWindowPlugin } from '@thole/memory';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { textEvent } from '../support/conversations.ts';

/** Returns events: `u1 a1` are messages, `c1(x,y)` calls, `r1(x)` responses of the agent, `ur1(x)` responses of the user. */
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
    return { ...textEvent(author, word, ''), content: { parts }, invocationId, seq: i + 1 };
  });
}

function shownEvents(turns: number, events: readonly Event[], invocationId: string = 'run-now'): string {
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
  it('shows the last N messages of the user with the events after them', () => {
    const events = history('u1 a1 u2 c2(x) r2(x) a2 u3 a3');
    expect(shownEvents(1, events)).toBe('u3 a3');
    expect(shownEvents(2, events)).toBe('u2 c2(x) r2(x) a2 u3 a3');
    expect(shownEvents(3, events)).toBe('all');
    expect(shownEvents(30, events)).toBe('all');
  });

  it('does not count responses, blank messages and messages of others', () => {
    const events = history('u1 a1 u2 c2(x) ur2(x) a2 system3 blank4 a4');
    expect(shownEvents(1, events)).toBe('u2 c2(x) ur2(x) a2 system3 blank4 a4');
    expect(shownEvents(2, events)).toBe('all');
  });

  it('counts a file as a message', () => {
    const events = history('u1 a1 u2 a2');
    const file = { inlineData: { mimeType: 'image/png', data: 'AA==' } };
    const sent = { ...textEvent('user', 'file', ''), content: { parts: [file] }, seq: 5, invocationId: 'run3' };
    expect(shownEvents(1, [...events, sent])).toBe('file');
  });

  it('shows the call of a late response, its message and its other responses', () => {
    const events = history('u1 c1(x,y) r1(y) a1 u2 a2 u3 ur3(x) a3');
    expect(shownEvents(1, events)).toBe('u1 c1(x,y) r1(y) u3 ur3(x) a3');
    expect(shownEvents(2, events)).toBe('u1 c1(x,y) r1(y) u2 a2 u3 ur3(x) a3');
  });

  it('always shows the current invocation completely', () => {
    const runs = { u3: 'run2', u2: 'run2', a2: 'run2' };
    const events = history('u1 a1 u2 a2 u3', runs);
    expect(shownEvents(1, events, 'run2')).toBe('u2 a2 u3');
    expect(shownEvents(1, events, 'another')).toBe('u3');
  });

  it('shows the current invocation completely between messages of others', () => {
    const runs = { u2: 'now', 'c2(x)': 'now', 'r2(x)': 'now' };
    const events = history('u1 a1 u2 c2(x) u3 system4 r2(x)', runs);
    expect(shownEvents(1, events, 'now')).toBe('u2 c2(x) u3 system4 r2(x)');
  });

  it('shows all calls of an event with several responses', () => {
    const events = history('u1 c1(w) r1(w) c2(x,y) c3(z) ur4(y,z) a4 u5 ur5(x)');
    expect(shownEvents(1, events)).toBe('u1 c2(x,y) c3(z) ur4(y,z) u5 ur5(x)');
  });

  it('shows the latest of two calls with the same id', () => {
    const events = history('u1 c1(x) r1(x) u2 c2(x) u3 ur3(x)');
    expect(shownEvents(1, events)).toBe('u2 c2(x) u3 ur3(x)');
  });

  it.each([1, 2, 3].slice(0, randomCases(1, 3)))(
    'shows no call without its responses in random histories (seed %i)',
    (seed) => {
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
          const responses = Array.from(
            { length: Math.min(open.length, 1 + below(3)) },
            () => open.splice(below(open.length), 1)[0],
          );
          return `${kind}${i}(${responses.join()})`;
        });
        const runs = Object.fromEntries(words.map((word) => [word, `run${below(4)}`]));
        const events = history(words.join(' '), runs);
        const turns = 1 + below(3);
        const chosen = shownEvents(turns, events, 'run0');
        const ids = chosen === 'all' ? words : chosen.split(' ');
        const description = JSON.stringify({ words, turns, chosen });
        expect(ids, description).toEqual(words.filter((word) => ids.includes(word)));
        expect(
          words.filter((word) => runs[word] === 'run0' && !ids.includes(word)),
          description,
        ).toEqual([]);
        const touched = new Set(ids.flatMap((word) => /\((.+)\)/.exec(word)?.[1]?.split(',') ?? []));
        const touching = words.filter((word) =>
          (/\((.+)\)/.exec(word)?.[1]?.split(',') ?? []).some((id) => touched.has(id)),
        );
        expect(
          touching.filter((word) => !ids.includes(word)),
          description,
        ).toEqual([]);
        const begin = words.indexOf(ids[0]!);
        const isMessage = (word: string): boolean => /^u\d/.test(word);
        if (runs[ids[0]!] !== 'run0' && words.slice(0, begin).some(isMessage))
          expect(ids[0], description).toMatch(/^u\d/);
        const messages = words.filter(isMessage);
        expect(
          messages.slice(-turns).filter((word) => !ids.includes(word)),
          description,
        ).toEqual([]);
      }
    },
  );

  it('keeps the message before a response of the user that resumes a run', () => {
    const events = history('u1 a1 u2 c2(x) ur3(x)', { 'ur3(x)': 'run3' });
    expect(shownEvents(1, events, 'run3')).toBe('u2 c2(x) ur3(x)');
  });

  it('changes nothing in an empty session', () => {
    expect(shownEvents(1, [])).toBe('all');
  });

  it('rejects invalid options with their names', () => {
    for (const turns of [0, -1, 1.5, '3'] as number[])
      expect(() => new SessionWindowPlugin({ turns })).toThrow('turns');
    expect(() => new SessionWindowPlugin({ turn: 3 } as object)).toThrow('turn');
  });
});
