import { getFunctionResponses, textOf } from '@thole/core';
import type { Event, MemoryEntry } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { memoryParts } from '@thole/memory';
import type { MemoryPartsOptions } from '@thole/memory';
import { EXTRACTION_INSTRUCTIONS } from '@thole/memory/facts';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ann, operations, texts } from './support/conversations.ts';

const minute = 60_000;
const here = { ...ann, sessionId: 'here' };
const profileAnswer = (...lines: string[]) => says(JSON.stringify({ lines }));

function setUp(
  script: { chat?: ScriptedAnswer[]; keeper?: ScriptedAnswer[] },
  options: Partial<MemoryPartsOptions> = {},
) {
  const runtime = new FixedRuntime();
  const sessions = new InMemorySessionService({ runtime });
  const memory = new InMemoryMemoryService({ runtime });
  const [chat, keeper] = [new ScriptedLlm(...(script.chat ?? [])), new ScriptedLlm(...(script.keeper ?? []))];
  const tools = [loadMemoryTool(), rememberTool(), preloadMemoryTool()];
  const parts = memoryParts({ ...{ sessions, memory, llm: keeper, runtime, tools }, ...options });
  const agent = new LlmAgent({ name: 'concierge', model: chat, tools: [...parts.tools] });
  const { plugins, memoryService } = parts;
  const services = { sessionService: sessions, memoryService, autoCreateSession: true, runtime };
  const runner = new Runner({ appName: 'hotel', agent, plugins: [...plugins], ...services });
  const say = (newMessage: string) => runner.runToCompletion({ userId: 'ann', sessionId: 'here', newMessage });
  const kept = async (): Promise<MemoryEntry[]> =>
    (await memory.listMemories({ ...ann, filter: { kinds: ['turn', 'fact', 'note'] } })).memories;
  return { runtime, sessions, memory, chat, keeper, runner, say, kept, ...parts };
}

describe('memoryParts without memory', () => {
  it.each([{ enabled: false }, { memory: undefined }])('stores sessions only with %j', async (options) => {
    const { say, chat, runtime, sessions, kept, memoryService, commands } = setUp(
      { chat: [calls('load_memory', { query: 'tea' }), says('I do not know.')] },
      options,
    );
    expect(memoryService).toBeUndefined();
    await say('I like tea.');
    expect(chat.requests.map(({ config, contents }) => [config.tools ?? [], textOf(contents[0])])).toEqual([
      [[], 'I like tea.'],
      [[], 'I like tea.'],
    ]);
    await runtime.advance(60 * minute);
    expect([runtime.pending, await kept()]).toEqual([0, []]);
    expect((await sessions.getSession(here))!.events.length).toBeGreaterThan(1);
    expect((await commands.handle('/remember Tea.', here))!.text).toContain('Memory is off');
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    expect(await kept()).toEqual([]);
  });

  it('keeps idle sessions with autoIngest: false, except for /reset', async () => {
    const { say, runtime, sessions, kept, consolidator, commands } = setUp(
      { chat: [says('Noted.')], keeper: [operations()] },
      { autoIngest: false, preload: false },
    );
    await say('I like tea.');
    await runtime.advance(60 * minute);
    expect(await consolidator!.sweep(ann)).toEqual({ consolidated: 0, failed: 0, scheduled: 0 });
    expect([(await kept()).length, (await sessions.getSession(here))!.events.length]).toEqual([0, 2]);
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    expect(texts(await kept())).toEqual(['I like tea.', 'Noted.']);
  });
});

describe('Options of memoryParts', () => {
  it('pass extractionInstructions to the extractor; empty ones mean the default', async () => {
    for (const [instructions, expected] of [
      ['Note nothing but allergies.', 'Note nothing but allergies.'],
      ['', EXTRACTION_INSTRUCTIONS],
      [undefined, EXTRACTION_INSTRUCTIONS],
    ]) {
      const { say, runtime, keeper } = setUp(
        { chat: [says('Noted.')], keeper: [operations()] },
        { extractionInstructions: instructions, preload: false },
      );
      await say('I like tea.');
      await runtime.advance(30 * minute);
      expect(keeper.requests[0]!.config.systemInstruction!.startsWith(`${expected}\n`)).toBe(true);
    }
  });

  it('pass recallLimit to a tools function', async () => {
    for (const recallLimit of [1, undefined]) {
      const tools: MemoryPartsOptions['tools'] = ({ recallLimit: limit }) => [loadMemoryTool({ limit })];
      const chat = [calls('load_memory', { query: 'tea' }), says('Yes.')];
      const { say, memory, sessions } = setUp({ chat }, { recallLimit, tools, preload: false });
      const note = (i: number) => ({ kind: 'note' as const, content: { parts: [{ text: `Likes tea ${i}.` }] } });
      await memory.addMemory({ ...ann, memories: Array.from({ length: 9 }, (_, i) => note(i)) });
      await say('Do I like tea?');
      const { events } = (await sessions.getSession(here))!;
      const answer = events.flatMap(getFunctionResponses)[0]!.response as { memories: unknown[] };
      expect(answer.memories).toHaveLength(recallLimit ?? 5);
    }
    for (const [options, message] of [
      [{ recallLimit: 0, tools: () => [] }, 'recallLimit'],
      [{ recallLimit: 3 }, 'tools to be a function'],
    ] as [Partial<MemoryPartsOptions>, string][])
      expect(() => setUp({}, options)).toThrow(message);
  });

  it('pass keepTurns to the FactMemoryService', async () => {
    const { say, runtime, kept, memoryService } = setUp(
      { chat: [says('Noted.')], keeper: [operations({ op: 'add', text: 'Likes tea.', evidence: ['t1'] })] },
      { keepTurns: false, preload: false },
    );
    await say('I like tea, secretly.');
    await runtime.advance(30 * minute);
    expect(JSON.stringify(await kept())).not.toContain('secretly');
    expect(texts((await memoryService!.listMemories!(ann)).memories)).toEqual(['Likes tea.']);
    expect(() => setUp({}, { keepTurns: false, llm: undefined })).toThrow('keepTurns: false needs llm');
  });

  it('pass timeZone to the extractor', async () => {
    const { say, runtime, keeper } = setUp(
      { chat: [says('Noted.')], keeper: [operations()] },
      { timeZone: ({ userId }) => (userId === 'ann' ? 'Asia/Tokyo' : 'UTC'), preload: false },
    );
    await say('I like tea.');
    await runtime.advance(30 * minute);
    expect(textOf(keeper.requests[0]!.contents[0])).toContain('t1 2023-11-15T07:13+09:00 user: I like tea.');
    expect(() => setUp({}, { timeZone: 'Mars/Olympus' })).toThrow('timeZone');
  });

  it('pass idleMs, keep, onError and artifacts to the consolidator', async () => {
    const artifacts = new InMemoryArtifactService();
    const failures: number[] = [];
    const options: Partial<MemoryPartsOptions> = {
      ...{ artifacts, idleMs: 0.25 * minute, preload: false },
      onError: ({ attempt }) => failures.push(attempt),
    };
    const keeper = [fails('MODEL_OVERLOADED'), operations(), operations()];
    const parts = setUp({ chat: [says('1'), says('2')], keeper }, options);
    const save = () => artifacts.saveArtifact({ ...here, filename: 'a.txt', artifact: { text: 'x' } });
    await save();
    await parts.say('I like tea.');
    await parts.runtime.advance(0.25 * minute);
    expect(failures).toEqual([1]);
    await parts.runtime.advance(minute);
    expect(await parts.sessions.getSession(here)).toBeUndefined();
    expect(await artifacts.listArtifactKeys(here)).toEqual([]);
    await save();
    await parts.say('I like coffee.');
    await parts.commands.handle('/reset', here);
    expect(await artifacts.listArtifactKeys(here)).toEqual([]);

    const keeping = setUp({ chat: [says('1')], keeper: [operations()] }, { ...options, keep: true });
    await keeping.say('I like tea.');
    await keeping.runtime.advance(0.25 * minute);
    expect([texts(await keeping.kept()), (await keeping.sessions.getSession(here)) !== undefined]).toEqual([
      ['I like tea.', '1'],
      true,
    ]);
  });

  it('pass preloadLimit and sources to the profile, which preload: false removes', async () => {
    const sources = [{ name: 'recent projects', lines: () => ['Herb garden (open)'] }];
    const on = setUp(
      { chat: [says('1')], keeper: [profileAnswer('One.', 'Two.', 'Three.')] },
      { preloadLimit: 2, sources },
    );
    await on.say('Hello.');
    expect(on.keeper.requests[0]!.config.systemInstruction).toContain('at most 2 short lines');
    expect(textOf(on.keeper.requests[0]!.contents[0])).toContain('- Herb garden (open)');
    expect(textOf(on.chat.requests[0]!.contents[0])).toMatch(/- One\.\n- Two\.\n<\/USER_PROFILE>$/);
    const off = setUp({ chat: [says('1')] }, { preload: false, sources });
    await off.say('Hello.');
    expect(off.chat.requests[0]!.contents.map(textOf)).toEqual(['Hello.']);
  });

  it('pass windowTurns to the window, with 30 turns by default', async () => {
    for (const windowTurns of [undefined, 2]) {
      const chat = Array.from({ length: 32 }, (_, i) => says(`answer ${i}`));
      const { say, chat: model } = setUp({ chat }, { windowTurns, llm: undefined });
      for (let i = 0; i < 32; i++) await say(`message ${i}`);
      const shown = model.requests.at(-1)!.contents.map(textOf);
      expect(shown.filter((text) => text.startsWith('message'))).toHaveLength(windowTurns ?? 30);
    }
  });
});

describe('memoryParts with idle sessions', () => {
  it('adds a session to memory even if its only run failed', async () => {
    const { say, runtime, sessions, kept } = setUp({ chat: [fails('MODEL_OVERLOADED')], keeper: [operations()] });
    await say('I am allergic to nuts.').catch(() => {});
    await runtime.advance(30 * minute);
    expect(texts(await kept())).toEqual(['I am allergic to nuts.']);
    expect(await sessions.getSession(here)).toBeUndefined();
  });
});

describe('memoryParts with ephemeral runs', () => {
  it('stores no session and no memory', async () => {
    const { runner, runtime, sessions, memory, kept, chat, keeper } = setUp({
      chat: [calls('remember', { fact: 'Has a secret.' }), says('I cannot.')],
      keeper: [profileAnswer('Tea.')],
    });
    await memory.addMemory({ ...ann, memories: [{ kind: 'note', content: { parts: [{ text: 'Likes tea.' }] } }] });
    const events: Event[] = [];
    for await (const event of runner.runEphemeral({ userId: 'ann', newMessage: 'A secret about tea.' }))
      events.push(event);
    expect(textOf(chat.requests[0]!.contents[0]), 'it reads the profile').toContain('- Tea.');
    expect(events.flatMap(getFunctionResponses)).toMatchObject([{ response: { code: 'MEMORY_NOT_CONFIGURED' } }]);
    await runtime.advance(60 * minute);
    expect(texts(await kept())).toEqual(['Likes tea.']);
    expect((await sessions.listSessions(ann)).total).toBe(0);
    expect(runtime.pending).toBe(0);
    for (const model of [chat, keeper]) model.assertDone();
  });
});

describe('memoryParts after the deletion of a user', () => {
  it('deletes the profile too, and later consolidation restores nothing (contract 31)', async () => {
    for (const way of ['deleteUserData', 'deleteUserMemory', '/forget'] as const) {
      const { runner, runtime, say, kept, keeper, memoryService, profiles, commands, memory } = setUp({
        chat: [says('Noted.'), says('Hello.'), says('Bye.')],
        keeper: [profileAnswer('Tea.'), operations(), profileAnswer('Tea again.'), operations()],
      });
      const note = { id: 'n', kind: 'note' as const, content: { parts: [{ text: 'Likes tea.' }] } };
      await memory.addMemory({ ...ann, memories: [note] });
      await say('I like tea.');
      await runtime.advance(30 * minute);
      await say('Hello, it is me.');
      if (way === 'deleteUserData') await runner.deleteUserData({ userId: 'ann' });
      if (way === 'deleteUserMemory') await memoryService!.deleteUserMemory!(ann);
      if (way === '/forget') for (const line of ['/forget', 'yes']) await commands.handle(line, here);
      expect(await kept(), way).toEqual([]);
      // The same texts again: no cached profile is used.
      await memory.addMemory({ ...ann, memories: [note] });
      expect(await profiles!.of({ ...ann, sessionId: 'other' }), way).toEqual({
        lines: ['Tea again.'],
        madeBy: 'model',
      });
      await runtime.advance(1);
      await say('Bye.');
      await runtime.advance(30 * minute);
      expect(texts(await kept()), way).toEqual(['Likes tea.', 'Bye.', 'Bye.']);
      keeper.assertDone();
    }
  });
});
