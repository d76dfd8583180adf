import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { MemoryRetention } from '@thole/memory';
import type { MemoryRetentionOptions } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactRequest } from '@thole/memory/facts';
import { LlmAgent, Runner } from '@thole/runner';
import { DatabaseMemoryService } from '@thole/sql-services';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ann, bob, conversation, texts } from '../support/conversations.ts';

const HOUR_MS = 3_600_000;

function setUp(p: Partial<MemoryRetentionOptions> = {}) {
  const runtime = new FixedRuntime();
  const memory = new DatabaseMemoryService({ dbUrl: 'sqlite://:memory:', runtime });
  onTestFinished(() => memory.close());
  const requested: number[] = [];
  const recording = {
    pruneMemories: async (request: Parameters<typeof memory.pruneMemories>[0]): Promise<number> => {
      requested.push(request.olderThan!);
      return memory.pruneMemories(request);
    },
  };
  const common = { memory: recording, appName: 'hotel', maxAgeMs: 2 * HOUR_MS, everyMs: HOUR_MS, runtime };
  const retention = new MemoryRetention({ ...common, ...p });
  const note = (id: string) => ({
    id,
    kind: 'note' as const,
    content: { parts: [{ text: id }] },
    timestamp: runtime.now(),
  });
  const keep = (id: string, user = { appName: 'hotel', userId: 'ann' }) =>
    memory.addMemory({ ...user, memories: [note(id)] });
  const kept = async (user = { appName: 'hotel', userId: 'ann' }): Promise<string[]> =>
    (await memory.listMemories(user)).memories.map(({ id }) => id);
  return { runtime, memory, retention, keep, kept, requested };
}

describe('MemoryRetention', () => {
  it('deletes old entries of all users of its app only (contract 30)', async () => {
    const { runtime, retention, keep, kept } = setUp();
    const [bob, other] = [
      { appName: 'hotel', userId: 'bob' },
      { appName: 'cafe', userId: 'ann' },
    ];
    for (const user of [undefined, bob, other]) await keep('old', user);
    await runtime.advance(HOUR_MS);
    await keep('young');
    await runtime.advance(HOUR_MS + 1);
    expect(await retention.prune()).toBe(2);
    expect([await kept(), await kept(bob), await kept(other)]).toEqual([['young'], [], ['old']]);
  });

  it('deletes only the given kinds', async () => {
    const { runtime, retention, keep, kept } = setUp({ kinds: ['turn'] });
    await keep('note');
    await runtime.advance(3 * HOUR_MS);
    expect([await retention.prune(), await kept()]).toEqual([0, ['note']]);
  });

  it('deletes entries of the given users in any memory service (contracts 30, 31)', async () => {
    const runtime = new FixedRuntime();
    const inner = new InMemoryMemoryService({ runtime });
    const extractor = {
      specVersion: 1 as const,
      extract: async ({ turns }: FactRequest) => [{ op: 'add', text: 'Was here.', evidence: [turns[0]!.id] }],
    };
    const memory = new FactMemoryService({ memory: inner, extractor, runtime });
    const session = conversation('s1', ['user: I was here.', 'concierge: I see.']);
    for (const userId of ['ann', 'bob', 'cat']) await memory.addSessionToMemory({ ...session, userId });
    await memory.addSessionToMemory({ ...session, appName: 'cafe' });
    const young = { kind: 'note' as const, content: { parts: [{ text: 'Young.' }] } };
    await memory.addMemory({ ...ann, memories: [young] });
    const users = () => Promise.resolve(new Set(['ann', 'bob', 'unknown']));
    const common = { memory, appName: 'hotel', users, maxAgeMs: HOUR_MS, runtime };
    expect(await new MemoryRetention({ ...common, kinds: ['note'] }).prune()).toBe(0);
    expect(await new MemoryRetention(common).prune()).toBe(6);
    await memory.addSessionToMemory(session);
    const kept = async (user: typeof ann) =>
      texts((await memory.listMemories({ ...user, filter: { kinds: ['turn', 'fact', 'note'] } })).memories).toSorted();
    const all = ['I see.', 'I was here.', 'Was here.'];
    expect(await Promise.all([ann, bob].map(kept))).toEqual([['Young.'], []]);
    const others = [
      { ...ann, userId: 'cat' },
      { ...ann, appName: 'cafe' },
    ];
    expect(await Promise.all(others.map(kept))).toEqual([all, all]);
  });

  it('runs at start and then at intervals until close (contract 43)', async () => {
    const { runtime, retention, requested } = setUp();
    retention.start();
    await runtime.advance(0);
    expect(requested).toHaveLength(1);
    await runtime.advance(2.5 * HOUR_MS);
    expect(requested.map((olderThan) => olderThan - requested[0]!)).toEqual([0, 3600, 7200]);
    retention.start();
    expect(runtime.pending, 'a second start replaces the timer').toBe(1);
    await retention.close();
    retention.start();
    await runtime.advance(24 * HOUR_MS);
    expect([requested.length, runtime.pending]).toEqual([4, 0]);
  });

  it('continues after a failure and logs its code (contract 42)', async () => {
    const errors: unknown[] = [];
    let fails = true;
    const memory = {
      pruneMemories: () => {
        if (fails) throw new Error('The words of a user.');
        return Promise.resolve(0);
      },
    };
    const onError = (error: unknown): void => {
      errors.push(error);
      throw new Error('Mine fails too.');
    };
    const { runtime, retention } = setUp({ memory, onError });
    retention.start();
    await runtime.advance(HOUR_MS / 2);
    expect(errors).toHaveLength(1);
    expect(runtime.logs.map(({ level, fields }) => [level, fields?.['code']])).toEqual([
      ['warn', 'Error'],
      ['error', 'Error'],
    ]);
    fails = false;
    await runtime.advance(HOUR_MS);
    expect(errors).toHaveLength(1);
  });

  it('stops when the runner closes', async () => {
    const { runtime, retention } = setUp({ memory: { pruneMemories: async () => 0 } });
    const agent = new LlmAgent({ name: 'clerk', model: new ScriptedLlm(says('Hello.')) });
    const sessionService = new InMemorySessionService({ runtime });
    const runner = new Runner({ appName: 'hotel', agent, sessionService, plugins: [retention], runtime });
    retention.start();
    await runner.close();
    expect(runtime.pending).toBe(0);
  });

  it.each([
    [{ memory: {} }, 'memory'],
    [{ memory: { listMemories: async () => ({ memories: [] }), deleteMemory: async () => 0 } }, 'pruneMemories'],
    [{ users: ['ann'] }, 'users'],
    [{ appName: '' }, 'appName'],
    [{ maxAgeMs: 0 }, 'maxAgeMs must be a finite number of milliseconds above 0'],
    [{ maxAgeMs: Number.NaN }, 'maxAgeMs must be a finite number of milliseconds above 0'],
    [{ maxAgeMs: Infinity }, 'maxAgeMs must be a finite number of milliseconds above 0'],
    [{ maxAgeMs: '1' }, 'maxAgeMs must be a finite number of milliseconds above 0, got a string.'],
    [{ everyMs: 0 }, 'everyMs'],
    [{ ageMs: 1 }, 'ageMs'],
  ])('rejects the options %j with INVALID_INPUT (contract 42)', (options, name) => {
    expect(() => setUp(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(name) }),
    );
  });
});
