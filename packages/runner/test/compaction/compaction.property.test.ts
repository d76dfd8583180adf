import { getFunctionCalls, getFunctionResponses, pendingInterrupts, textOf, TholeError } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import type { CompactionOptions, Content, Event, EventInit, FunctionCall } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionRecord, compactionResult } from '../../src/compaction/compaction-record.ts';
import type { CompactionWindow } from '../../src/compaction/plan-compaction.ts';
import { planCompaction } from '../../src/compaction/plan-compaction.ts';
import { applyCompactions } from '../../src/contents/apply-compactions.ts';
import { buildContents } from '../../src/contents/build-contents.ts';
import { includeEvents } from '../../src/contents/include-events.ts';
import { compactionOf, summaryOf } from '../../src/history/compaction-of.ts';
import { planRewind } from '../../src/rewind/plan-rewind.ts';
import { randomCases } from '../../../../test/servers/long.ts';
import { stored } from '../contents/history-of.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Date.now() % 2 ** 31);
const runs = randomCases(30, 300);

const rules: readonly CompactionOptions[] = [
  { interval: 1 },
  { interval: 3, overlap: 1 },
  { tokenThreshold: 1, eventRetention: 0 },
  { tokenThreshold: 1, eventRetention: 4 },
  { interval: 2, tokenThreshold: 1, eventRetention: 7 },
];
const one = <T extends string>(kind: T): fc.Arbitrary<{ kind: T }> => fc.record({ kind: fc.constant(kind) });
const step = fc.oneof(
  { weight: 3, arbitrary: one('turn') },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tools'), count: fc.integer({ min: 1, max: 3 }), late: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('asks'),
      what: fc.constantFrom('confirmation', 'longRunning', 'timer'),
      sibling: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answers'), which: fc.nat(3), ends: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('crashes'),
      code: fc.constantFrom(undefined, 'RUN_SUPERSEDED', 'MODEL_OVERLOADED'),
    }),
  },
  { weight: 1, arbitrary: one('branches') },
  { weight: 1, arbitrary: one('journal') },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewinds'), back: fc.nat(12) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('compacts'),
      options: fc.constantFrom(...rules),
      isForced: fc.boolean(),
      // Number of the newest events that the process has not read, because another process stored them.
      unread: fc.constantFrom(0, 0, 0, 1, 3, 8),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A session that grows as runs, people, rewinds and compactions write to it. */
class GrowingSession {
  readonly events: Event[] = [];
  readonly problems: string[] = [];
  readonly #runtime = new FixedRuntime();
  #invocations = 0;

  add(init: EventInit): Event {
    const n = this.events.length + 1;
    const event = stored({ id: `e${n}`, usageMetadata: { promptTokenCount: n }, ...init }, n, this.#runtime);
    this.events.push(event);
    return event;
  }

  /** Begins an invocation with a message of the user. Returns a function that adds an event to it. */
  begin(): (init: EventInit) => Event {
    const invocationId = `i${++this.#invocations}`;
    const add = (init: EventInit): Event => this.add({ invocationId, ...init });
    add(this.textEvent('user'));
    return add;
  }

  textEvent(author: string, more: Partial<EventInit> = {}): EventInit {
    const text = `[e${this.events.length + 1}]`;
    return { author, content: { role: author === 'user' ? 'user' : 'model', parts: [{ text }] }, ...more };
  }

  apply(action: Step): void {
    switch (action.kind) {
      case 'turn':
        return void this.begin()(this.textEvent('a'));
      case 'tools': {
        const add = this.begin();
        const ids = this.#calls(add, action.count);
        for (const id of action.late ? ids.toReversed() : ids) add(answers('a', id));
        return void add(this.textEvent('a'));
      }
      case 'asks':
        return this.#asks(action.what as 'confirmation', action.sibling);
      case 'answers':
        return this.#answers(action.which, action.ends);
      case 'crashes': {
        const add = this.begin();
        this.#calls(add, 1);
        if (action.code) add({ author: 'a', errorCode: action.code });
        return;
      }
      case 'branches': {
        const add = this.begin();
        for (const branch of ['x', 'y']) {
          const [id] = this.#calls((init) => add({ ...init, branch }), 1, branch);
          add({ ...answers(branch, id!), branch });
          add({ ...this.textEvent(branch), branch });
        }
        return;
      }
      case 'journal': {
        const add = this.begin();
        add({ author: 'a', customMetadata: { step: { path: 'a', name: 's', n: 1, result: 1 } } });
        add(this.textEvent('a', { customMetadata: { child: { callId: 'c', events: [] } } }));
        return void add(this.textEvent('a'));
      }
      case 'rewinds':
        return this.#rewinds(action.back);
      case 'compacts':
        return this.#compacts(action);
    }
  }

  #calls(add: (init: EventInit) => Event, count: number, author: string = 'a', longRunning: boolean = false): string[] {
    const ids = Array.from({ length: count }, (_, i) => `c${this.events.length + 1}.${i}`);
    const parts = ids.map((id) => ({ functionCall: { id, name: 'tool', args: {} } }));
    add({ author, content: { role: 'model', parts }, ...(longRunning && { longRunningToolIds: ids.slice(0, 1) }) });
    return ids;
  }

  #asks(what: 'confirmation' | 'longRunning' | 'timer', hasSibling: boolean): void {
    const add = this.begin();
    if (what === 'timer') {
      add(this.textEvent('a'));
      return void add(request(`t${this.events.length}`, 'thole_timer', { wakeAt: 1 }));
    }
    const [id, sibling] = this.#calls(add, hasSibling ? 2 : 1, 'a', what === 'longRunning');
    if (what === 'longRunning') add(answers('a', id!));
    else add({ ...answers('a', id!), actions: { requestedToolConfirmations: { [id!]: { hint: '?' } } } });
    if (sibling) add(answers('a', sibling));
    if (what === 'longRunning') return void add(this.textEvent('a'));
    const originalFunctionCall = { id: id!, name: 'tool', args: {} };
    add(request(`r${this.events.length}`, 'adk_request_confirmation', { originalFunctionCall }));
  }

  #answers(which: number, ends: boolean): void {
    const open = pendingInterrupts(this.events);
    const interrupt = open[which % open.length];
    if (!interrupt) return;
    const { id, invocationId, functionCallId } = interrupt;
    const { name } = this.events.flatMap((event) => getFunctionCalls(event)).find((call) => call.id === id)!;
    this.add({ ...answers('user', id, name), invocationId });
    if (functionCallId !== undefined && functionCallId !== id)
      this.add({ ...answers('a', functionCallId), invocationId });
    if (ends) this.add({ ...this.textEvent('a'), invocationId });
  }

  #rewinds(back: number): void {
    const { events } = this;
    const target = events.at(-1 - back)?.invocationId;
    if (target === undefined) return;
    try {
      planRewind({ id: 's', state: {}, initialState: {}, events }, target);
    } catch (error) {
      if (TholeError.is(error)) return;
      throw error;
    }
    const before = events.slice(
      0,
      events.findIndex((event) => event.invocationId === target),
    );
    this.add({ author: 'user', invocationId: `w${events.length}`, actions: { rewindBeforeInvocationId: target } });
    // A rewind restores the earlier prompt, including the events that a removed record covered.
    if (JSON.stringify(promptOf(this.events)) !== JSON.stringify(promptOf(before)))
      this.problems.push(`the prompt after the rewind before ${target} is not the earlier one`);
  }

  #compacts({ options, isForced, unread }: Extract<Step, { kind: 'compacts' }>): void {
    const read = this.events.slice(0, this.events.length - unread);
    const windows = planCompaction(read, options, { isForced });
    for (const window of windows) {
      this.problems.push(...wronglyCovered(read, window));
      const result = compactionResult(window);
      // The summary names the events that it replaces.
      const text = [...window.replaces.map(({ record }) => summaryOf(record)), ...result.eventIds].join(' ');
      const summary = { content: { role: 'model' as const, parts: [{ text }] } };
      this.add({ invocationId: `k${this.events.length}`, ...compactionRecord(window, result, summary) });
    }
  }
}

const answers = (author: string, id: string, name = 'tool'): EventInit => ({
  author,
  content: { role: 'user', parts: [{ functionResponse: { id, name, response: { result: id } } }] },
});
const request = (id: string, name: string, args: FunctionCall['args']): EventInit => ({
  author: 'a',
  content: { role: 'model', parts: [{ functionCall: { id, name, args } }] },
  longRunningToolIds: [id],
});

function promptOf(events: readonly Event[], branch?: string): Content[] {
  return buildContents(events, { agentName: 'a', branch, includeContents: 'default', invocationId: 'later' });
}

/** Returns the events of a window that must not be covered. */
function wronglyCovered(events: readonly Event[], { events: window }: CompactionWindow): string[] {
  const paused = new Set(pendingInterrupts(events).map(({ invocationId }) => invocationId));
  const isWrong = ({ customMetadata, invocationId }: Event): boolean =>
    paused.has(invocationId) || customMetadata?.['step'] !== undefined || customMetadata?.['child'] !== undefined;
  return window.filter(isWrong).map(({ id }) => `${id} must not be covered`);
}

/** Returns each event that is neither in the prompt nor in exactly one summary, and each call without its answer. */
function lossesIn(events: readonly Event[], branch: string | undefined): string[] {
  const included = includeEvents(applyRewinds(events), branch).filter((event) => !compactionOf(event));
  const shown = applyCompactions(includeEvents(applyRewinds(events), branch));
  const raw = new Set(included.map(({ id }) => id));
  const count = new Map<string, number>();
  const found = (id: string): void => void count.set(id, (count.get(id) ?? 0) + 1);
  const seqOf = new Map(included.map(({ id, seq }) => [id, seq!]));
  const early: string[] = [];
  let newest = 0;
  for (const event of shown) {
    const isRaw = raw.has(event.id);
    const ids = isRaw ? [event.id] : textOf(event.content).split('\n')[1]!.split(' ');
    for (const id of ids) found(id);
    const last = Math.max(...ids.map((id) => seqOf.get(id) ?? 0));
    if (isRaw) newest = Math.max(newest, last);
    else if (last < newest) early.push(`${event.id}: its summary comes after newer events`);
  }
  const problems = included
    .filter(({ id }) => count.get(id) !== 1)
    .map(({ id }) => `${id}: ${count.get(id) ?? 0} times`);
  problems.push(...early);
  const isShown = new Set(shown.map(({ id }) => id));
  for (const event of included) {
    for (const call of getFunctionCalls(event)) {
      const sides = included.filter((each) => getFunctionResponses(each).some(({ id }) => id === call.id));
      if (sides.some((side) => isShown.has(side.id) !== isShown.has(event.id))) problems.push(`${call.id}: split`);
    }
  }
  if (!isPaired(promptOf(events, branch))) problems.push('unpaired calls');
  return problems;
}

/** True if every call is directly followed by its answers, and there are no other answers. */
function isPaired(contents: readonly Content[]): boolean {
  let due: (string | undefined)[] = [];
  for (const content of contents) {
    if (
      getFunctionResponses({ content })
        .map(({ id }) => id)
        .join() !== due.join()
    )
      return false;
    due = getFunctionCalls({ content }).map(({ id }) => id);
  }
  return due.length === 0;
}

describe(`compaction of random histories (seed ${seed})`, () => {
  it('leaves each event in the prompt or in exactly one summary (contract 26)', () => {
    let records = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        const session = new GrowingSession();
        for (const each of steps) {
          session.apply(each);
          for (const branch of [undefined, 'x']) session.problems.push(...lossesIn(session.events, branch));
          if (session.problems.length > 0) expect({ step: each, problems: session.problems }).toBeUndefined();
        }
        records += session.events.filter((event) => compactionOf(event)).length;
      }),
      { seed, numRuns: runs },
    );
    expect(records).toBeGreaterThan(runs);
  });
});
