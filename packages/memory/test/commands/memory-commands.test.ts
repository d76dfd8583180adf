import { createEvent } from '@thole/core';
import type { CallOptions, MemoryEntry } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { IdleConsolidator, memoryCommands } from '@thole/memory';
import type { MemoryCommandsOptions } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ann, bob, talk, texts } from '../support/talks.ts';

const here = { ...ann, sessionId: 'here' };

function house(options: Partial<MemoryCommandsOptions> = {}) {
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

describe('lines', () => {
  it('that are no commands of memory are handed back, other commands and slashes in texts too', async () => {
    const { handle } = house();
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

  it('are commands in any case, with blanks around and a byte order mark before', async () => {
    const { handle } = house();
    for (const line of ['/memory', '  /MEMORY  ', '\uFEFF/memory', '/memory list'])
      expect(await handle(line), line).toEqual({ text: 'Nothing is remembered.' });
  });

  it('of all commands the help tells', () => {
    expect(house().commands.help.map(({ usage }) => usage.split(' ')[0])).toEqual([
      '/remember',
      '/memory',
      '/forget',
      '/reset',
    ]);
  });
});

describe('/remember and /memory', () => {
  it('keeps a fact word for word, for this user alone, and lists it', async () => {
    const { handle, all } = house();
    expect(await handle('/remember  My PIN is  4711! ')).toEqual({ text: 'Remembered: My PIN is 4711!' });
    expect((await all()).map(({ kind, author, content }) => [kind, author, content.parts![0]!.text])).toEqual([
      ['note', 'user', 'My PIN is  4711!'],
    ]);
    expect(await handle('/memory')).toEqual({ text: '1. note: My PIN is 4711!' });
    expect(await all(bob)).toEqual([]);
    for (const nothing of ['/remember', '/remember \u0000 \u202e'])
      expect((await handle(nothing))!.text).toContain('/remember <fact>');
  });

  it('shows what fits a query, turns with their speaker, and one line for each, whatever they hold', async () => {
    const { handle, memory } = house();
    const content = { parts: [{ text: 'red\u001b[31m wine\nand more' }] };
    await memory.addMemory({ ...ann, memories: [{ kind: 'turn', content, author: 'concierge', id: 't' }] });
    expect(await handle('/memory wine')).toEqual({ text: '1. concierge: red[31m wine and more' });
    expect(await handle('/memory helicopter')).toEqual({ text: 'No memory matches.' });
  });

  it('says of what holds no longer that it does, and of what will end that it does not yet', async () => {
    const { handle, memory, runtime } = house();
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

  it('shows the last of many, and says how many more there are', async () => {
    const { handle, memory } = house();
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
  it('asks, and forgets everything of this user when the next line is yes; the conversation stays', async () => {
    const { handle, all, say, sessions, memory } = house();
    await say('Hello.');
    await handle('/remember One.');
    await handle('/remember Two.');
    await memory.addMemory({ ...bob, memories: [{ kind: 'note', content: { parts: [{ text: 'Bob’s.' }] } }] });
    expect(await handle('/forget')).toEqual({ text: 'Forget everything about you? Answer yes or no.' });
    expect(await all()).toHaveLength(2);
    expect(await handle(' YES ')).toEqual({ text: 'Forgotten: 2 memories. This conversation is kept.' });
    expect([await all(), texts(await all(bob))]).toEqual([[], ['Bob’s.']]);
    expect(await sessions.getSession(here)).toBeDefined();
    expect(await handle('yes'), 'a second yes is an answer to nothing').toBeUndefined();
  });

  it('takes a yes from a pipe, whose lines come all at once', async () => {
    const { commands, all, memory } = house();
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

  it('anything but yes forgets nothing: a message goes on to the agent, a command is done', async () => {
    const { handle, all } = house();
    await handle('/remember One.');
    const after = async (line: string) => {
      await handle('/forget');
      return handle(line);
    };
    expect(await after('no')).toEqual({ text: 'Nothing was forgotten.' });
    expect(await after('')).toEqual({ text: 'Nothing was forgotten.' });
    expect(await after('yes please')).toEqual({ text: 'Nothing was forgotten.', isMessage: true });
    expect(await after('/memory')).toEqual({ text: 'Nothing was forgotten.\n1. note: One.' });
    expect(await all()).toHaveLength(1);
  });

  it('the yes of another user or session, and one that comes too late, forgets nothing', async () => {
    const { handle, commands, all, runtime } = house();
    await handle('/remember One.');
    await handle('/forget');
    expect(await commands.handle('yes', { ...bob, sessionId: 'here' })).toBeUndefined();
    expect(await commands.handle('yes', { ...ann, sessionId: 'there' })).toBeUndefined();
    await runtime.advance(120_001);
    expect(await handle('yes')).toBeUndefined();
    expect(await all()).toHaveLength(1);
  });

  it('with a number forgets that line of /memory, with its evidence', async () => {
    const { handle, say, all, memory, sessions } = house();
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
    });
    expect(await all()).toEqual([]);
    expect(await handle('/forget 1')).toEqual({ text: 'Already forgotten.' });
  });

  const told = async (memory: FactMemoryService): Promise<void> => {
    await memory.addSessionToMemory(talk('s1', ['user: I live in Bonn.', 'concierge: Noted.', 'user: I like tea.']));
    const fact = (id: string, text: string, more: Partial<MemoryEntry> = {}) => ({
      ...{ id, kind: 'fact' as const, content: { parts: [{ text }] }, evidence: [`turn of ${id}`] },
      ...more,
    });
    const ended = { validTo: 2, supersededBy: 'new' };
    await memory.addMemory({ ...ann, memories: [fact('old', 'Lives in Bonn.', ended), fact('new', 'Lives in Kiel.')] });
  };

  it('with a number forgets earlier versions too, offers what says the same, and forgets it after yes', async () => {
    const { handle, memory, all } = house();
    await told(memory);
    await handle('/memory');
    expect((await handle('/forget 1'))!.text.split('\n')).toEqual([
      'Forgotten, with its sources.',
      'These say the same:',
      '- user: I live in Bonn.',
      'Forget them too? Answer yes or no.',
    ]);
    expect(texts(await all())).toEqual(['I live in Bonn.', 'Noted.', 'I like tea.']);
    expect(await handle('yes')).toEqual({ text: 'Forgotten: one memory.' });
    expect(texts(await all())).toEqual(['Noted.', 'I like tea.']);
  });

  it('keeps what says the same after any other answer than yes', async () => {
    const { handle, memory, all } = house();
    await told(memory);
    await handle('/memory');
    await handle('/forget 1');
    expect(await handle('no')).toEqual({ text: 'These memories are kept.' });
    expect(texts(await all())).toContain('I live in Bonn.');
    expect(await handle('yes')).toBeUndefined();
  });
});

describe('/reset', () => {
  it.each(['/reset', '/new', '/clear'])('%s puts the conversation into memory and clears it', async (command) => {
    const { handle, say, all, sessions } = house();
    await say('I live in Bonn.');
    expect(await handle(command)).toEqual({
      text: 'The conversation was added to memory. A new conversation starts.',
      isCleared: true,
    });
    expect([texts(await all()), await sessions.getSession(here)]).toEqual([['I live in Bonn.'], undefined]);
    expect(await handle(command)).toEqual({ text: 'Nothing to clear.' });
  });

  it('clears also where sessions are kept, and one in which nothing was said', async () => {
    const { runtime, sessions, memory, say, all } = house();
    const consolidator = new IdleConsolidator({ sessions, memory, runtime, keep: true });
    const commands = memoryCommands({ memory, sessions, consolidator, runtime });
    await say('I live in Bonn.');
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    await sessions.createSession(here);
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    expect([await sessions.getSession(here), texts(await all())]).toEqual([undefined, ['I live in Bonn.']]);
  });

  it('works without a consolidator', async () => {
    const { say, all, sessions, handle } = house({ consolidator: undefined });
    await say('I live in Bonn.');
    expect(await handle('/reset')).toMatchObject({ isCleared: true });
    expect([texts(await all()), await sessions.getSession(here)]).toEqual([['I live in Bonn.'], undefined]);
  });

  it('clears nothing when the conversation cannot be put into memory', async () => {
    const { say, sessions, handle } = house({
      consolidator: { consolidate: () => Promise.reject(new Error('The model is out.')) },
    });
    await say('I live in Bonn.');
    await expect(handle('/reset')).rejects.toThrow('The model is out.');
    expect(await sessions.getSession(here)).toBeDefined();
  });

  it('clears nothing where its signal ends the wait for the model', async () => {
    const begun = Promise.withResolvers<void>();
    const consolidator = {
      consolidate: ({ signal }: CallOptions) =>
        new Promise<never>((_, reject) => {
          signal!.addEventListener('abort', () => reject(signal!.reason as Error));
          begun.resolve();
        }),
    };
    const { commands, say, sessions } = house({ consolidator });
    await say('I live in Bonn.');
    const abort = new AbortController();
    const answer = commands.handle('/reset', here, { signal: abort.signal });
    await begun.promise;
    abort.abort(new Error('stopped'));
    await expect(answer).rejects.toThrow('stopped');
    expect((await sessions.getSession(here))!.events).toHaveLength(1);
  });

  it('clears nothing that was said after the conversation went into memory, kept sessions or not', async () => {
    for (const outcome of ['kept', undefined] as const) {
      const { runtime, sessions, memory, say } = house();
      const keeping = new IdleConsolidator({ sessions, memory, runtime, keep: true });
      const consolidator = {
        async consolidate(ref: typeof here) {
          const done = await keeping.consolidate(ref);
          await say('And another thing.');
          return done;
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

  it('clears nothing while a run has the session, though it has stored nothing yet', async () => {
    const { sessions, say, handle } = house({ consolidator: undefined });
    await say('I live in Bonn.');
    const lease = { invocationId: 'run', holder: 'runner', policy: 'reject' as const, maxWaiting: 0, cleanupMs: 0 };
    const run = await sessions.leasing!.lease(here, { ...lease, waitMs: 0, ttlMs: 1e9 });
    expect((await handle('/reset'))!.isCleared).toBeUndefined();
    await run.release();
    expect(await handle('/reset')).toMatchObject({ isCleared: true });
  });

  it('clears nothing while somebody speaks', async () => {
    const { say, sessions, handle } = house({ consolidator: { consolidate: async () => 'active' as const } });
    await say('I live in Bonn.');
    expect((await handle('/reset'))!.isCleared).toBeUndefined();
    expect(await sessions.getSession(here)).toBeDefined();
  });
});

it('without memory commands say so, and /reset clears', async () => {
  const { say, sessions, handle } = house({ memory: undefined, consolidator: undefined });
  await say('Hello.');
  for (const line of ['/remember One.', '/memory', '/memory x', '/forget', '/forget 1'])
    expect((await handle(line))!.text, line).toContain('Memory is off');
  expect(await handle('/reset')).toEqual({ text: 'A new conversation starts.', isCleared: true });
  expect(await sessions.getSession(here)).toBeUndefined();
});
