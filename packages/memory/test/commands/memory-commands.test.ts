import { createEvent } from '@thole/core';
import type { CallOptions, MemoryEntry } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator, memoryCommands } from '@thole/memory';
import type { MemoryCommandsOptions } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ann, bob, conversation, texts } from '../support/conversations.ts';

const here = { ...ann, sessionId: 'here' };

function setUp(options: Partial<MemoryCommandsOptions> = {}) {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const inner = new InMemoryMemoryService({ runtime });
  const extractor = { specVersion: 1 as const, extract: async () => [] };
  const memory = new FactMemoryService({ memory: inner, extractor, runtime });
  const consolidator = new IdleConsolidator({ sessions, memory, runtime });
  const commands = memoryCommands({ memory, sessions, consolidator, runtime, ...options });
  const say = async (text: string) => {
    if (!(await sessions.getSession(here))) await sessions.createSession(here);
    const event = createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] } }, runtime);
    await sessions.appendEvent({ session: here, event });
  };
  const all = async (user = ann): Promise<MemoryEntry[]> =>
    (await memory.listMemories({ ...user, filter: { kinds: ['turn', 'fact', 'note'] } })).memories;
  return { runtime, sessions, memory, commands, say, all, handle: (line: string) => commands.handle(line, here) };
}

describe('memoryCommands', () => {
  it('rejects a time for an answer that is not a duration with INVALID_INPUT', () => {
    for (const answerWithinMs of ['120000', NaN, 0])
      expect(() => setUp({ answerWithinMs: answerWithinMs as number })).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(/^answerWithinMs must be/) }),
      );
  });
});

describe('MemoryCommands.handle', () => {
  it('returns undefined for lines that are not memory commands', async () => {
    const { handle } = setUp();
    for (const line of [
      'Hello.',
      '',
      '   ',
      '/',
      '/quit',
      '/rememberme',
      '/constructor',
      'what is /memory?',
      'yes',
      '/ memory',
    ])
      expect(await handle(line), line).toBeUndefined();
  });

  it('ignores case, surrounding white space and a byte order mark', async () => {
    const { handle } = setUp();
    for (const line of ['/memory', '  /MEMORY  ', '\uFEFF/memory', '/memory list'])
      expect(await handle(line), line).toEqual({ text: 'Nothing is remembered.' });
  });

  it('describes all commands in help', () => {
    expect(setUp().commands.help.map(({ usage }) => usage.split(' ')[0])).toEqual([
      '/remember',
      '/memory',
      '/forget',
      '/reset',
    ]);
  });
});

describe('/remember and /memory', () => {
  it('store a fact word for word for this user, and list it', async () => {
    const { handle, all } = setUp();
    expect(await handle('/remember  My PIN is  4711! ')).toEqual({ text: 'Remembered: My PIN is 4711!' });
    expect((await all()).map(({ kind, author, content }) => [kind, author, content.parts![0]!.text])).toEqual([
      ['note', 'user', 'My PIN is  4711!'],
    ]);
    expect(await handle('/memory')).toEqual({ text: '1. note: My PIN is 4711!' });
    expect(await all(bob)).toEqual([]);
    for (const line of ['/remember', '/remember \u0000 \u202e'])
      expect((await handle(line))!.text).toContain('/remember <fact>');
  });

  it('reject a text of more than 2,000 characters', async () => {
    const { handle, all } = setUp();
    expect((await handle(`/remember ${'x'.repeat(2_001)}`))!.text).toContain('at most 2000');
    expect(await all()).toEqual([]);
    expect((await handle(`/remember ${'x'.repeat(2_000)}`))!.text).toContain('Remembered: x');
  });

  it('list the results of a query, one line each, turns with their author', async () => {
    const { handle, memory } = setUp();
    const content = { parts: [{ text: 'red\u001b[31m wine\nand more' }] };
    await memory.addMemory({ ...ann, memories: [{ kind: 'turn', content, author: 'concierge', id: 't' }] });
    expect(await handle('/memory wine')).toEqual({ text: '1. concierge: red[31m wine and more' });
    expect(await handle('/memory helicopter')).toEqual({ text: 'No memory matches.' });
  });

  it('mark facts that have ended, but not facts that will end', async () => {
    const { handle, memory, runtime } = setUp();
    const fact = (text: string, validTo: number) => ({
      ...{ kind: 'fact' as const, content: { parts: [{ text: `${text} in Bonn` }] } },
      ...{ validTo, supersededBy: 'x' },
    });
    const now = runtime.now();
    await memory.addMemory({ ...ann, memories: [fact('Was', now), fact('Is', now + 10)] });
    expect(
      (await handle('/memory bonn'))!.text
        .split('\n')
        .toSorted()
        .map((line) => line.slice(3))
        .toSorted(),
    ).toEqual(['Is in Bonn', 'Was in Bonn (no longer true)']);
    expect((await handle('/memory'))!.text).toBe('1. Is in Bonn');
  });

  it('list the last 50 memories and the number of others', async () => {
    const { handle, memory } = setUp();
    const note = (i: number) => ({ kind: 'note' as const, content: { parts: [{ text: `Note ${i}.` }] } });
    await memory.addMemory({ ...ann, memories: Array.from({ length: 53 }, (_, i) => note(i)) });
    const lines = (await handle('/memory'))!.text.split('\n');
    expect([lines[0], lines[49], lines[50]]).toEqual([
      '1. note: Note 3.',
      '50. note: Note 52.',
      '… and 3 more. /memory <query> searches all.',
    ]);
  });
});

describe('/forget', () => {
  it('deletes all memories of the user if the next line is yes, and keeps the session', async () => {
    const { handle, all, say, sessions, memory } = setUp();
    await say('Hello.');
    await handle('/remember One.');
    await handle('/remember Two.');
    await memory.addMemory({ ...bob, memories: [{ kind: 'note', content: { parts: [{ text: 'Bob’s.' }] } }] });
    expect(await handle('/forget')).toEqual({ text: 'Forget everything about you? Answer yes or no.' });
    expect(await all()).toHaveLength(2);
    expect(await handle(' YES ')).toEqual({
      text: 'Forgotten: 2 memories. This conversation is kept.',
      hasForgotten: true,
    });
    expect([await all(), texts(await all(bob))]).toEqual([[], ['Bob’s.']]);
    expect(await sessions.getSession(here)).toBeDefined();
    expect(await handle('yes'), 'a second yes is not an answer').toBeUndefined();
  });

  it('accepts yes if all lines are sent at once', async () => {
    const { commands, all, memory } = setUp();
    const add = memory.addMemory.bind(memory);
    memory.addMemory = async (p) => {
      await new Promise((resolve) => setImmediate(resolve));
      return add(p);
    };
    const lines = ['/remember One.', '/forget', 'yes', 'Hello.'];
    const answers = await Promise.all(lines.map((line) => commands.handle(line, here)));
    expect(answers.map((answer) => answer?.text.split(':')[0])).toEqual([
      'Remembered',
      'Forget everything about you? Answer yes or no.',
      'Forgotten',
      undefined,
    ]);
    expect(await all()).toEqual([]);
  });

  it('deletes nothing after any other line, and returns messages and runs commands', async () => {
    const { handle, all } = setUp();
    await handle('/remember One.');
    const answerTo = async (line: string) => {
      await handle('/forget');
      return handle(line);
    };
    expect(await answerTo('no')).toEqual({ text: 'Nothing was forgotten.' });
    expect(await answerTo('')).toEqual({ text: 'Nothing was forgotten.' });
    expect(await answerTo('yes please')).toEqual({ text: 'Nothing was forgotten.', isMessage: true });
    expect(await answerTo('/memory')).toEqual({ text: 'Nothing was forgotten.\n1. note: One.' });
    expect(await all()).toHaveLength(1);
  });

  it('ignores yes from another user or session, and after the time limit', async () => {
    const { handle, commands, all, runtime } = setUp();
    await handle('/remember One.');
    await handle('/forget');
    expect(await commands.handle('yes', { ...bob, sessionId: 'here' })).toBeUndefined();
    expect(await commands.handle('yes', { ...ann, sessionId: 'there' })).toBeUndefined();
    await runtime.advance(120_001);
    expect(await handle('yes')).toBeUndefined();
    expect(await all()).toHaveLength(1);
  });

  it('deletes the given line of the last list with its evidence', async () => {
    const { handle, say, all, memory, sessions } = setUp();
    await say('I live in Bonn.');
    await memory.addSessionToMemory((await sessions.getSession(here))!);
    const [turn] = await all();
    const fact = { kind: 'fact' as const, content: { parts: [{ text: 'Lives in Bonn.' }] }, evidence: [turn!.id] };
    await memory.addMemory({ ...ann, memories: [fact] });
    expect((await handle('/forget 1'))!.text).toContain('no such line');
    await handle('/memory');
    expect((await handle('/forget 2'))!.text).toContain('no such line');
    expect(await handle('/forget 1')).toEqual({
      text: 'Forgotten, with its sources.',
      hasForgotten: true,
    });
    expect(await all()).toEqual([]);
    expect(await handle('/forget 1')).toEqual({ text: 'Already forgotten.' });
  });

  const addConversation = async (memory: FactMemoryService): Promise<void> => {
    await memory.addSessionToMemory(
      conversation('s1', ['user: I live in Bonn.', 'concierge: Noted.', 'user: I like tea.']),
    );
    const fact = (id: string, text: string, more: Partial<MemoryEntry> = {}) => ({
      ...{ id, kind: 'fact' as const, content: { parts: [{ text }] }, evidence: [`turn of ${id}`] },
      ...more,
    });
    const ended = { validTo: 2, supersededBy: 'new' };
    await memory.addMemory({ ...ann, memories: [fact('old', 'Lives in Bonn.', ended), fact('new', 'Lives in Kiel.')] });
  };

  it('deletes earlier versions too, and entries that say the same after yes', async () => {
    const { handle, memory, all } = setUp();
    await addConversation(memory);
    await handle('/memory');
    expect((await handle('/forget 1'))!.text.split('\n')).toEqual([
      'Forgotten, with its sources.',
      'These say the same:',
      '- user: I live in Bonn.',
      'Forget them too? Answer yes or no.',
    ]);
    expect(texts(await all())).toEqual(['I live in Bonn.', 'Noted.', 'I like tea.']);
    expect(await handle('yes')).toEqual({ text: 'Forgotten: one memory.', hasForgotten: true });
    expect(texts(await all())).toEqual(['Noted.', 'I like tea.']);
  });

  it('keeps entries that say the same after any other answer', async () => {
    const { handle, memory, all } = setUp();
    await addConversation(memory);
    await handle('/memory');
    await handle('/forget 1');
    expect(await handle('no')).toEqual({ text: 'These memories are kept.' });
    expect(texts(await all())).toContain('I live in Bonn.');
    expect(await handle('yes')).toBeUndefined();
  });
});

describe('/reset', () => {
  it.each(['/reset', '/new', '/clear'])('%s adds the session to memory and deletes it', async (command) => {
    const { handle, say, all, sessions } = setUp();
    await say('I live in Bonn.');
    expect(await handle(command)).toEqual({
      text: 'The conversation was added to memory. A new conversation starts.',
      isCleared: true,
    });
    expect([texts(await all()), await sessions.getSession(here)]).toEqual([['I live in Bonn.'], undefined]);
    expect(await handle(command)).toEqual({ text: 'Nothing to clear.' });
  });

  it('reports how many open requests it has closed', async () => {
    const { handle, say, sessions, runtime } = setUp();
    for (const [count, sentence] of [
      [1, '1 open request was closed.'],
      [2, '2 open requests were closed.'],
    ] as const) {
      await say('Pay it.');
      const event = createEvent({ author: 'agent', invocationId: 'i' }, runtime);
      await sessions.appendEvent({ session: here, event, marks: { openInterrupts: count } });
      const text = `The conversation was added to memory. ${sentence} A new conversation starts.`;
      expect(await handle('/reset')).toEqual({ text, isCleared: true });
    }
  });

  it('deletes the session with keep: true too, and a session without messages', async () => {
    const { runtime, sessions, memory, say, all } = setUp();
    const consolidator = new IdleConsolidator({ sessions, memory, runtime, keep: true });
    const commands = memoryCommands({ memory, sessions, consolidator, runtime });
    await say('I live in Bonn.');
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    await sessions.createSession(here);
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    expect([await sessions.getSession(here), texts(await all())]).toEqual([undefined, ['I live in Bonn.']]);
  });

  it('adds the session to memory without a consolidator', async () => {
    const { say, all, sessions, handle } = setUp({ consolidator: undefined });
    await say('I live in Bonn.');
    expect(await handle('/reset')).toMatchObject({ isCleared: true });
    expect([texts(await all()), await sessions.getSession(here)]).toEqual([['I live in Bonn.'], undefined]);
  });

  it('keeps the session if it cannot be added to memory', async () => {
    const { say, sessions, handle } = setUp({
      consolidator: { consolidate: () => Promise.reject(new Error('The model is out.')) },
    });
    await say('I live in Bonn.');
    await expect(handle('/reset')).rejects.toThrow('The model is out.');
    expect(await sessions.getSession(here)).toBeDefined();
  });

  it('keeps the session if its signal is aborted', async () => {
    const started = Promise.withResolvers<void>();
    const consolidator = {
      consolidate: ({ signal }: CallOptions) =>
        new Promise<never>((_, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason as Error));
          started.resolve();
        }),
    };
    const { commands, say, sessions } = setUp({ consolidator });
    await say('I live in Bonn.');
    const abort = new AbortController();
    const answer = commands.handle('/reset', here, { signal: abort.signal });
    await started.promise;
    abort.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    expect((await sessions.getSession(here))!.events).toHaveLength(1);
  });

  it('keeps the session if its signal is aborted while the model extracts facts', async () => {
    const { runtime, sessions, memory: stored, say } = setUp();
    const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const extractor = {
      specVersion: 1 as const,
      async extract() {
        started.resolve();
        await ended.promise;
        return [];
      },
    };
    const memory = new FactMemoryService({ memory: stored, extractor, runtime });
    const consolidator = new IdleConsolidator({ sessions, memory, runtime });
    const commands = memoryCommands({ memory, sessions, consolidator, runtime });
    await say('I live in Bonn.');
    const abort = new AbortController();
    const answer = commands.handle('/reset', here, { signal: abort.signal });
    await started.promise;
    abort.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    ended.resolve();
    await consolidator.idle();
    expect((await sessions.getSession(here))!.events).toHaveLength(1);
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
  });

  it('keeps the session if messages were added meanwhile', async () => {
    for (const outcome of ['kept', undefined] as const) {
      const { runtime, sessions, memory, say } = setUp();
      const keeping = new IdleConsolidator({ sessions, memory, runtime, keep: true });
      const consolidator = {
        async consolidate(ref: typeof here) {
          const result = await keeping.consolidate(ref);
          await say('And another thing.');
          return result;
        },
      };
      const add = memory.addSessionToMemory.bind(memory);
      if (!outcome)
        memory.addSessionToMemory = async (session) => {
          await add(session);
          await say('And another thing.');
        };
      const options = { memory, sessions, runtime, ...(outcome && { consolidator }) };
      await say('I live in Bonn.');
      expect(await memoryCommands(options).handle('/reset', here)).toEqual({
        text: 'This conversation has new messages, so it was not cleared. Try again.',
      });
      expect(texts((await sessions.getSession(here))!.events as never)).toContain('And another thing.');
    }
  });

  it('keeps the session while a run holds its lease', async () => {
    const { sessions, say, handle } = setUp({ consolidator: undefined });
    await say('I live in Bonn.');
    const lease = { invocationId: 'run', holder: 'runner', policy: 'reject' as const, maxWaiting: 0, cleanupMs: 0 };
    const run = await sessions.leasing!.lease(here, { ...lease, waitMs: 0, ttlMs: 1e9 });
    expect((await handle('/reset'))!.isCleared).toBeUndefined();
    await run.release();
    expect(await handle('/reset')).toMatchObject({ isCleared: true });
  });

  it('keeps the session if the consolidator returns active', async () => {
    const { say, sessions, handle } = setUp({ consolidator: { consolidate: async () => 'active' as const } });
    await say('I live in Bonn.');
    expect((await handle('/reset'))!.isCleared).toBeUndefined();
    expect(await sessions.getSession(here)).toBeDefined();
  });
});

describe('MemoryCommands without memory', () => {
  it('answer that memory is off, and /reset deletes the session', async () => {
    const { say, sessions, handle } = setUp({ memory: undefined, consolidator: undefined });
    await say('Hello.');
    for (const line of ['/remember One.', '/memory', '/memory x', '/forget', '/forget 1'])
      expect((await handle(line))!.text, line).toContain('Memory is off');
    expect(await handle('/reset')).toEqual({ text: 'A new conversation starts.', isCleared: true });
    expect(await sessions.getSession(here)).toBeUndefined();
  });
});

describe('memoryCommands with a service without optional methods', () => {
  const withMethods = (...names: (keyof InMemoryMemoryService)[]) => {
    const memory = new InMemoryMemoryService({ runtime: new FixedRuntime() });
    const service = {
      addSessionToMemory: memory.addSessionToMemory.bind(memory),
      searchMemory: memory.searchMemory.bind(memory),
    };
    return setUp({
      memory: Object.assign(service, Object.fromEntries(names.map((name) => [name, memory[name]!.bind(memory)]))),
    });
  };

  it.each([
    ['/remember Likes tea.', 'The memory service cannot store single facts. It remembers conversations.'],
    ['/memory', 'The memory service cannot list memories. Write /memory <query> to search them.'],
    ['/memory tea', 'No memory matches.'],
    ['/forget 1', 'The memory service cannot delete single memories. /forget deletes all of them.'],
    ['/forget', 'The memory service cannot delete memories.'],
  ])('answers %s with an explanation', async (line, text) => {
    expect(await withMethods().handle(line)).toEqual({ text });
  });

  it('keeps the commands for which the service has methods', async () => {
    const { handle } = withMethods('addMemory', 'listMemories', 'deleteMemory', 'deleteUserMemory');
    expect(await handle('/remember Likes tea.')).toEqual({ text: 'Remembered: Likes tea.' });
    expect(await handle('/memory')).toEqual({ text: '1. note: Likes tea.' });
    expect(await handle('/forget 1')).toMatchObject({ text: 'Forgotten, with its sources.' });
    await handle('/forget');
    expect(await handle('yes')).toMatchObject({ text: 'Forgotten: 0 memories. This conversation is kept.' });
  });
});
