import { getFunctionCalls } from '@thole/core';
import type { Content, Event, EventInit, Part } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { buildContents } from '../../src/contents/build-contents.ts';
import type { ContentsRequest, SelectHistory } from '../../src/contents/contents-request.ts';
import { ContentsFold } from '../../src/contents/fold.ts';
import { SessionLog } from '../../src/history/session-log.ts';
import { agent, answerPart, callPart, compaction, rewind, stored, user } from './history-of.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Date.now() % 2 ** 31);
const runs = randomCases(10, 100);

const authors = ['a', 'b', 'c'];
const branches = [undefined, undefined, 'p', 'p.x', 'p.y', 'px'];
const ids = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

const place = fc.record({
  author: fc.constantFrom(...authors),
  branch: fc.constantFrom(...branches),
  nextInvocation: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
const someIds = fc.uniqueArray(fc.constantFrom(...ids), { minLength: 1, maxLength: 3 });
const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('user' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('says' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('calls' as const),
      ids: someIds,
      by: fc.constantFrom('user', ...authors, ...authors),
      longRunning: fc.subarray(ids),
      withoutId: fc.integer({ min: 0, max: 8 }).map((n) => n === 0),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('answers' as const),
      ids: someIds,
      by: fc.constantFrom('user', ...authors, 'a'),
      andText: fc.boolean(),
      withoutId: fc.integer({ min: 0, max: 8 }).map((n) => n === 0),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('answersAll' as const),
      by: fc.constantFrom('user' as const, 'caller' as const),
      reversed: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewinds' as const), back: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('compacts' as const),
      from: fc.nat(10),
      length: fc.nat(8),
      skip: fc.nat(8),
      forged: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('transfers' as const), to: fc.constantFrom(...authors) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stranger' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('closes' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('thinks' as const), andSays: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('speaks' as const), isUser: fc.boolean(), finished: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('asksPerson' as const), andText: fc.boolean() }) },
);
const logs = fc.array(fc.tuple(place, action), { maxLength: 40, size: 'max' }).map(eventsOf);

type Step = {
  place: { author: string; branch: string | undefined };
  action: typeof action extends fc.Arbitrary<infer T> ? T : never;
};

/** Returns the random steps as stored events. */
function eventsOf(
  steps: readonly (readonly [
    { author: string; branch: string | undefined; nextInvocation: boolean },
    Step['action'],
  ])[],
): Event[] {
  const runtime = new FixedRuntime();
  const events: Event[] = [];
  let invocation = 1;
  for (const [stepPlace, stepAction] of steps) {
    if (stepPlace.nextInvocation) invocation += 1;
    const init = {
      branch: stepPlace.branch,
      invocationId: `i${invocation}`,
      id: `e${events.length + 1}`,
      ...eventOf({ place: stepPlace, action: stepAction }, events),
    };
    events.push(stored(init, events.length + 1, runtime));
  }
  return events;
}

function eventOf({ place: { author }, action: stepAction }: Step, events: readonly Event[]): EventInit {
  const n = events.length + 1;
  switch (stepAction.kind) {
    case 'user':
      return { ...user(`message ${n}`), branch: undefined };
    case 'says':
      return agent(author, `words ${n}`);
    case 'calls': {
      const parts = stepAction.ids.map((id) =>
        stepAction.withoutId ? { functionCall: { name: 'nameless', args: {} } } : callPart(id),
      );
      return { author: stepAction.by, content: { role: 'model', parts }, longRunningToolIds: stepAction.longRunning };
    }
    case 'answers': {
      const parts = stepAction.ids.map((id) =>
        stepAction.withoutId ? { functionResponse: { name: 'nameless', response: { result: n } } } : answerPart(id, n),
      );
      return {
        author: stepAction.by,
        content: { role: 'user', parts: stepAction.andText ? [...parts, { text: `and ${n}` }] : parts },
      };
    }
    case 'answersAll': {
      const last = events.at(-1);
      const calls = last ? getFunctionCalls(last) : [];
      if (!last || calls.length === 0) return agent(author, `words ${n}`);
      const parts = calls.map(({ id, name }): Part => ({ functionResponse: { id, name, response: { result: n } } }));
      return {
        author: stepAction.by === 'user' ? 'user' : last.author,
        branch: last.branch,
        content: { role: 'user', parts: stepAction.reversed ? parts.toReversed() : parts },
      };
    }
    case 'rewinds':
      return rewind(events.at(-1 - stepAction.back)?.invocationId ?? 'none');
    case 'compacts': {
      const covered = events
        .slice(stepAction.from, stepAction.from + stepAction.length)
        .filter((_, i) => i !== stepAction.skip);
      const range = {
        startSeq: stepAction.from + 1,
        endSeq: Math.max(stepAction.from + 1, stepAction.from + stepAction.length),
      };
      const record = compaction(
        covered.map(({ id }) => id),
        `summary ${n}`,
        range,
      );
      return stepAction.forged ? { ...record, author } : record;
    }
    case 'transfers':
      return {
        author,
        content: {
          role: 'model',
          parts: [{ functionCall: { id: `t${n}`, name: 'transfer_to_agent', args: { agentName: stepAction.to } } }],
        },
        actions: { transferToAgent: stepAction.to },
      };
    case 'stranger':
      return agent('unknown_agent', `strange ${n}`);
    case 'closes':
      return { author, errorCode: 'RUN_ABORTED', errorMessage: 'The run was aborted.' };
    case 'thinks': {
      const thought = { text: `hm ${n}`, thought: true };
      return {
        author,
        content: {
          role: 'model',
          parts: stepAction.andSays ? [thought, { text: `aha ${n}`, thoughtSignature: 'c2ln' }] : [thought],
        },
      };
    }
    case 'speaks': {
      const transcription = { text: `spoken ${n}`, finished: stepAction.finished };
      return stepAction.isUser
        ? { author: 'user', inputTranscription: transcription }
        : { author, outputTranscription: transcription };
    }
    case 'asksPerson': {
      const request = { functionCall: { id: `q${n}`, name: 'adk_request_confirmation', args: {} } };
      return {
        author,
        content: { role: 'model', parts: stepAction.andText ? [{ text: `may I ${n}` }, request] : [request] },
      };
    }
  }
}

const viewers: readonly Pick<ContentsRequest, 'agentName' | 'branch' | 'includeContents'>[] = [
  { agentName: 'a', includeContents: 'default' },
  { agentName: 'b', branch: 'p.x', includeContents: 'default' },
  { agentName: 'c', branch: 'p', includeContents: 'default' },
  { agentName: 'a', includeContents: 'none' },
];

const choices: { readonly [name: string]: SelectHistory | undefined } = {
  'no choice': undefined,
  'a window by seq that moves in steps': (events) => ({ fromSeq: Math.floor(events.length / 7) * 5 }),
  'a list without every third event of others': (events) =>
    [...events].filter((event, i) => event.author === 'user' || i % 3 !== 0),
  'a list of the last eight': (events) => [...events].slice(-8),
};

/** True if every call is directly followed by a content with its answers in order, and there are no other answers. */
function isPaired(contents: readonly Content[]): boolean {
  let due: string[] = [];
  for (const { parts = [] } of contents) {
    const answers = parts.flatMap(({ functionResponse }) => (functionResponse ? [String(functionResponse.id)] : []));
    if (answers.join() !== due.join() || (due.length > 0 && parts.length !== due.length)) return false;
    due = parts.flatMap(({ functionCall }) => (functionCall ? [String(functionCall.id)] : []));
  }
  return due.length === 0;
}

function expectFoldEqualsBuild(
  events: readonly Event[],
  request: Omit<ContentsRequest, 'invocationId'>,
  startAt: number,
): void {
  const log = new SessionLog(events.slice(0, startAt));
  const fold = new ContentsFold();
  for (let n = startAt; n <= events.length; n++) {
    if (n > startAt) log.push(events[n - 1]!);
    for (const invocationId of [events[n - 1]?.invocationId ?? 'i1', 'later']) {
      const built = buildContents(events.slice(0, n), { ...request, invocationId });
      const folded = fold.contentsOf(log, { ...request, invocationId });
      // Compares JSON texts first, because a deep comparison of ten thousand lists takes a minute.
      if (JSON.stringify(folded) !== JSON.stringify(built)) expect(folded).toEqual(built);
      if (!isPaired(built)) expect(built).toBe('a list in which every call is followed by its answers');
    }
  }
}

describe(`contents of random histories (seed ${seed})`, () => {
  for (const [name, selectHistory] of Object.entries(choices)) {
    it(`equals the pure functions after each event, with ${name} (contract 17)`, () => {
      fc.assert(
        fc.property(logs, fc.nat(10), (events, start) => {
          for (const viewer of viewers)
            expectFoldEqualsBuild(events, { ...viewer, selectHistory }, Math.min(start, events.length));
        }),
        { seed, numRuns: runs },
      );
    });
  }

  it('never throws and never sends unpaired calls for a windowed history (contract 17)', () => {
    fc.assert(
      fc.property(logs, fc.nat(40), fc.nat(40), (events, from, length) => {
        const window = events.slice(from, from + length);
        for (const viewer of viewers) {
          expect(isPaired(buildContents(window, { ...viewer, invocationId: 'later' }))).toBe(true);
          expectFoldEqualsBuild(window, viewer, 0);
        }
      }),
      { seed, numRuns: runs },
    );
  });

  it('returns the same contents after missing events are inserted (contract 17)', () => {
    fc.assert(
      fc.property(logs, fc.nat(40), fc.nat(10), (events, from, length) => {
        const log = new SessionLog(events.filter((_, i) => i < from || i >= from + length));
        const request = { ...viewers[0]!, invocationId: 'later' };
        const fold = new ContentsFold();
        fold.contentsOf(log, request);
        log.insertMissing(events.slice(from, from + length));
        expect([...log]).toEqual(events);
        expect(fold.contentsOf(log, request)).toEqual(buildContents(events, request));
      }),
      { seed, numRuns: runs },
    );
  });
});
