import { textOf } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { fails, FixedRuntime, hangs, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { chatWith } from './chat-with.ts';

const FACT = 'Prefers rooms on high floors.';
const extracted = says(JSON.stringify({ operations: [{ op: 'add', text: FACT, evidence: ['t1'] }] }));
const card = says(JSON.stringify({ lines: ['High floors, always.'] }));
const alice = { appName: 'hotel', userId: 'alice' };
const HALF_AN_HOUR_MS = 30 * 60_000;

describe('the concierge with a language model', () => {
  it('extracts facts at the end of a conversation and knows the guest in the next one', async () => {
    const llm = new ScriptedLlm(says('Noted.'), extracted, card, says('Welcome back.'), says('A high one.'));
    const { type } = chatWith({ llm, facts: true });
    const kept = await type('I like it high up.', '/new');
    expect(kept).toBe('concierge: Noted.\nThe conversation was added to memory.\nA new conversation starts.\n');
    expect(await type('/memory')).toBe(`1. ${FACT}\n`);
    await type('Hello!', 'Which room?');
    for (const { contents } of llm.requests.slice(3))
      expect(textOf(contents[0])).toMatch(/^<USER_PROFILE>\n[^]*- High floors, always\.\n<\/USER_PROFILE>$/);
    llm.assertDone();
    expect((await type('/sessions')).trimEnd().split('\n'), 'both conversations stay in the list').toHaveLength(2);
  });

  it('uses one time zone for today’s date and the times of messages', async () => {
    const llm = new ScriptedLlm(says('Noted.'), extracted, card, says('A high one.'));
    const { type } = chatWith({ llm, facts: true, timeZone: 'Asia/Tokyo' });
    await type('I like it high up.', '/new', 'Which floor do I like?');
    expect(textOf(llm.requests[1]!.contents[0])).toMatch(/^It is 2023-11-15T07:13\+09:00\./);
    const { config, contents } = llm.requests.at(-1)!;
    expect(config.systemInstruction).toContain('Today is 2023-11-15.');
    expect(JSON.stringify(contents)).toMatch(/2023-11-15T07:13:2\d\+09:00:\\n- user: I like it high up/);
  });

  it('deletes facts with their source messages', async () => {
    const llm = new ScriptedLlm(says('Noted.'), extracted, says('Welcome.'));
    const { type, services } = chatWith({ llm, facts: true });
    await type('I like it high up.', '/new', '/memory', '/forget 1', 'Hello!');
    expect(JSON.stringify(llm.requests[2]!.contents)).not.toMatch(/high/i);
    const kinds = ['turn', 'fact', 'note'] as const;
    const { memories } = await services.memoryService!.listMemories!({ ...alice, filter: { kinds } });
    expect(JSON.stringify(memories)).not.toMatch(/high/i);
  });

  it('shows messages and facts to a model that searches memory', async () => {
    const llm = new ScriptedLlm(says('Noted.'), extracted, card, (request) => {
      const shown = JSON.stringify(request.contents);
      expect(shown).toMatch(/past_conversations[^]*I like it high up[^]*Which floor/);
      expect(shown).toMatch(/past_conversations[^]*Prefers rooms on high floors[^]*Which floor/);
      return says('A high one.');
    });
    const { type } = chatWith({ llm, facts: true });
    await type('I like it high up.', '/new');
    expect(await type('Which floor do I like?')).toContain('A high one.');
  });

  it('keeps messages if the model fails, reports it, and extracts facts later', async () => {
    const llm = new ScriptedLlm(says('Noted.'), fails('MODEL_OVERLOADED'), extracted);
    const { type, runtime, services } = chatWith({ llm, facts: true });
    expect(await type('I like it high up.', '/new')).toContain(
      'The conversation was added to memory.\n(Facts are extracted from it later: MODEL_OVERLOADED.)\nA new conversation starts.\n',
    );
    const { memories } = await services.memoryService!.searchMemory({ ...alice, query: 'high' });
    expect([memories[0]!.kind, textOf(memories[0]!.content)]).toEqual(['turn', 'I like it high up.']);
    await runtime.advance(HALF_AN_HOUR_MS);
    await services.consolidator!.idle();
    expect(await type('/memory')).toBe(`1. ${FACT}\n`);
    llm.assertDone();
  });

  it('extracts facts at the start from conversations that became idle before', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime });
    const memoryService = new InMemoryMemoryService({ runtime });
    const common = { sessionService, memoryService, runtime, facts: true };
    const first = chatWith({ ...common, llm: new ScriptedLlm(says('Noted.')) });
    await first.type('I like it high up.');
    for (const plugin of first.services.plugins) await plugin.close?.();
    await runtime.advance(HALF_AN_HOUR_MS);

    const llm = new ScriptedLlm(extracted);
    const { type, services } = chatWith({ ...common, llm });
    services.start();
    await expect.poll(async () => (await type('/memory')).includes(FACT)).toBe(true);
    llm.assertDone();
  });

  it('stops extraction in close on request', async () => {
    const llm = new ScriptedLlm(says('Noted.'), hangs());
    const { type, chat } = chatWith({ llm, facts: true });
    await type('I like it high up.', '/quit');
    const closed = chat.close();
    await expect.poll(() => llm.requests.length === 2).toBe(true);
    expect([chat.interrupt(), await closed]).toEqual([true, true]);
    expect(await type('')).toBe('');
  });

  it('stops extraction at /reset on request, clears nothing and continues the conversation', async () => {
    const llm = new ScriptedLlm(says('Noted.'), hangs(), says('Still here.'));
    const { type, chat, concierge } = chatWith({ llm, facts: true });
    await type('I like it high up.');
    const { sessionId } = concierge;
    const reset = type('/reset');
    await expect.poll(() => llm.requests.length === 2).toBe(true);
    expect([chat.interrupt(), await reset]).toEqual([true, '(stopped)\n']);
    expect(await type('Are you there?')).toBe('concierge: Still here.\n');
    expect(concierge.sessionId).toBe(sessionId);
    expect(JSON.stringify(llm.requests[2]!.contents)).toContain('high up');
  });

  it('makes no memory requests without memory', async () => {
    const llm = new ScriptedLlm(says('Noted.'), says('Who are you?'));
    const { type, chat, services } = chatWith({ llm, facts: true, memory: false });
    await type('I like it high up.', '/new', 'Hello!');
    expect(await chat.close?.()).toBe(true);
    llm.assertDone();
    expect([services.memoryService, services.tools]).toEqual([undefined, []]);
    expect(JSON.stringify(llm.requests)).not.toMatch(/memory|remember/);
    expect(JSON.stringify(llm.requests[1])).not.toContain('high up');
  });
});

describe('the concierge with the demo model', () => {
  it('requests no facts and no profile', async () => {
    const llm = new ScriptedLlm(says('Noted.'), says('Welcome back.'));
    const { type, chat, services } = chatWith({ llm });
    services.start();
    await type('I like it high up.', '/new', 'Hello!');
    expect(await chat.close?.()).toBe(true);
    llm.assertDone();
    expect(JSON.stringify(llm.requests[1]!.contents)).not.toContain('USER_PROFILE');
  });
});
