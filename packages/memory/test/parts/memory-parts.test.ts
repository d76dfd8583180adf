import { getFunctionResponses, textOf } from '@thole/core';
import type { Event, MemoryEntry } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { memoryParts } from '@thole/memory';
import type { MemoryPartsOptions } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, fails, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { ann, operations, texts } from '../support/talks.ts';

const minute = 60_000;
const here = { ...ann, sessionId: 'here' };
const card = (...lines: string[]) => says(JSON.stringify({ lines }));

function house(
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

describe('memory that is off', () => {
  it.each([{ enabled: false }, { memory: undefined }])('leaves sessions alone with %j', async (options) => {
    const { say, chat, runtime, sessions, kept, memoryService, commands } = house(
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

  it('for quiet sessions alone leaves them where they are, at the start of a process too; what is asked for is done', async () => {
    const { say, runtime, sessions, kept, consolidator, commands } = house(
      { chat: [says('Noted.')], keeper: [operations()] },
      { autoIngest: false, preload: false },
    );
    await say('I like tea.');
    await runtime.advance(60 * minute);
    expect(await consolidator!.sweep(ann)).toEqual({ consolidated: 0, failed: 0, armed: 0 });
    expect([(await kept()).length, (await sessions.getSession(here))!.events.length]).toEqual([0, 2]);
    expect(await commands.handle('/reset', here)).toMatchObject({ isCleared: true });
    expect(texts(await kept())).toEqual(['I like tea.', 'Noted.']);
  });
});

describe('a quiet session', () => {
  it('goes into memory also where its only run failed', async () => {
    const { say, runtime, sessions, kept } = house({ chat: [fails('MODEL_OVERLOADED')], keeper: [operations()] });
    await say('I am allergic to nuts.').catch(() => {});
    await runtime.advance(30 * minute);
    expect(texts(await kept())).toEqual(['I am allergic to nuts.']);
    expect(await sessions.getSession(here)).toBeUndefined();
  });
});

describe('an ephemeral run', () => {
  it('leaves nothing, though everything is on and the model asks to remember: no session, no memory, no timer that does anything', async () => {
    const { runner, runtime, sessions, memory, kept, chat, keeper } = house({
      chat: [calls('remember', { fact: 'Has a secret.' }), says('I cannot.')],
      keeper: [card('Tea.')],
    });
    await memory.addMemory({ ...ann, memories: [{ kind: 'note', content: { parts: [{ text: 'Likes tea.' }] } }] });
    const events: Event[] = [];
    for await (const event of runner.runEphemeral({ userId: 'ann', newMessage: 'A secret about tea.' }))
      events.push(event);
    expect(textOf(chat.requests[0]!.contents[0]), 'it reads what is known').toContain('- Tea.');
    expect(events.flatMap(getFunctionResponses)).toMatchObject([{ response: { code: 'MEMORY_NOT_CONFIGURED' } }]);
    await runtime.advance(60 * minute);
    expect(texts(await kept())).toEqual(['Likes tea.']);
    expect((await sessions.listSessions(ann)).total).toBe(0);
    expect(runtime.pending).toBe(0);
    for (const model of [chat, keeper]) model.assertDone();
  });
});

describe('everything of a user', () => {
  it('goes with their profile, wherever it is asked for, and does not come back when what was said goes quiet (contract 31)', async () => {
    for (const way of ['deleteUserData', 'deleteUserMemory', '/forget'] as const) {
      const { runner, runtime, say, kept, keeper, memoryService, profiles, commands, memory } = house({
        chat: [says('Noted.'), says('Hello.'), says('Bye.')],
        keeper: [card('Tea.'), operations(), card('Tea again.'), operations()],
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
      // The very same words again: nobody has an answer to them at hand.
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
