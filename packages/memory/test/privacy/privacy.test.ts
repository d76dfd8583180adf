import { createEvent, TholeError } from '@thole/core';
import { quoteMemory } from '@thole/core/kit';
import { InMemoryMemoryService, InMemorySessionService, VectorMemoryService } from '@thole/mem-services';
import { correctMemory, exportMemory, importMemory, RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { FixedRuntime, HashEmbedder, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { add, ann, bob, facts, operations, said, talk, texts } from '../support/talks.ts';

const hideNumbers = (text: string): string => text.replaceAll(/\d{4,}/g, '[number]');
const everything = { kinds: ['turn', 'fact', 'note'] as const };

describe('RedactingMemoryService', () => {
  it('redacts turns, facts and notes before they are stored, and every text of a message', async () => {
    const inner = new InMemoryMemoryService();
    const memory = new RedactingMemoryService({ memory: inner, redact: async (text) => hideNumbers(text) });
    await memory.addSessionToMemory(talk('s1', ['user: My card is 4111111111111111.']));
    await memory.addEventsToMemory({ ...ann, sessionId: 's2', events: [said('user', 'e1', 'PIN 4711')] });
    const content = { parts: [{ text: 'Code 12345' }, { text: ' and 67890.' }] };
    const [note] = await memory.addMemory({ ...ann, memories: [{ kind: 'note', content }] });
    expect(note!.content.parts).toEqual([{ text: 'Code [number]' }, { text: ' and [number].' }]);
    await memory.updateMemory({ ...ann, id: note!.id, change: { content: { parts: [{ text: 'Code 99999' }] } } });
    const kept = (await inner.listMemories({ ...ann, filter: everything })).memories;
    expect(texts(kept)).toEqual(['My card is [number].', 'PIN [number]', 'Code [number]']);
  });

  it('gives the embedder neither a text nor a query that was not redacted', async () => {
    const seen: string[] = [];
    const embedder = new HashEmbedder();
    const embed = embedder.embed.bind(embedder);
    embedder.embed = (given, options) => {
      seen.push(...given);
      return embed(given, options);
    };
    const memory = new RedactingMemoryService({ memory: new VectorMemoryService({ embedder }), redact: hideNumbers });
    await memory.addSessionToMemory(talk('s1', ['user: My card is 4111111111111111.']));
    await memory.searchMemory({ ...ann, query: 'card 4111111111111111' });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.join()).not.toMatch(/\d{4}/);
  });

  it('passes on every other member of a search: minRelevance, timeZone, filter, explain', async () => {
    const asked: unknown[] = [];
    const inner = new InMemoryMemoryService();
    const search = inner.searchMemory.bind(inner);
    inner.searchMemory = (p) => {
      asked.push(p);
      return search(p);
    };
    const more = { minRelevance: 0.4, minScore: 0.1, timeZone: 'Asia/Tokyo', explain: true, limit: 3, filter: {} };
    const extractor = { specVersion: 1 as const, extract: async () => [] };
    const redacting = new RedactingMemoryService({ memory: inner, redact: hideNumbers });
    for (const memory of [redacting, new FactMemoryService({ memory: redacting, extractor })])
      await memory.searchMemory({ ...ann, query: 'PIN 4711', ...more });
    expect(asked).toEqual(Array.from({ length: 2 }, () => ({ ...ann, query: 'PIN [number]', ...more })));
  });

  it('under facts, the model sees redacted turns and its facts are redacted', async () => {
    const llm = new ScriptedLlm(operations(add('Card 4111111111111111.', 't1')));
    const redacting = new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact: hideNumbers });
    const memory = new FactMemoryService({ memory: redacting, llm });
    await memory.addSessionToMemory(talk('s1', ['user: My card is 4111111111111111.']));
    expect(JSON.stringify(llm.requests)).not.toContain('4111');
    expect(texts(await facts(memory))).toEqual(['Card [number].']);
  });

  it('keeps nothing when redact fails, and no turn of which nothing is left', async () => {
    const inner = new InMemoryMemoryService();
    const failing = new RedactingMemoryService({
      memory: inner,
      redact: () => {
        throw new TholeError('INVALID_INPUT', 'no');
      },
    });
    await expect(failing.addSessionToMemory(talk('s1', ['user: Hello.']))).rejects.toMatchObject({ message: 'no' });
    const hiding = new RedactingMemoryService({ memory: inner, redact: () => '' });
    await hiding.addSessionToMemory(talk('s1', ['user: Hello.']));
    expect((await inner.listMemories(ann)).memories).toEqual([]);
  });

  it('still leaves out memory that was quoted, whatever redact would make of its frame', async () => {
    const inner = new InMemoryMemoryService();
    const memory = new RedactingMemoryService({ memory: inner, redact: (text) => text.replaceAll('past', 'last') });
    await memory.addSessionToMemory(talk('s1', [`user: ${quoteMemory('- user: secret')}In the past.`]));
    expect(texts((await inner.listMemories(ann)).memories)).toEqual(['In the last.']);
  });

  it('changes nothing of what it is given', async () => {
    const memory = new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact: hideNumbers });
    const session = talk('s1', ['user: PIN 4711']);
    const before = structuredClone(session);
    await memory.addSessionToMemory(session);
    expect(session).toEqual(before);
  });
});

describe('export, import and correction', () => {
  const runtime = new FixedRuntime();

  async function full() {
    const memory = new FactMemoryService({
      memory: new InMemoryMemoryService({ runtime }),
      llm: new ScriptedLlm(
        operations(add('Lives in Bonn.', 't1')),
        operations({ op: 'supersede', fact: 'k1', text: 'Lives in Rome.', evidence: ['t1'] }),
      ),
      runtime,
    });
    await memory.addSessionToMemory(talk('s1', ['user: I live in Bonn.']));
    await memory.addSessionToMemory(talk('s2', ['user: Now in Rome.']));
    await memory.addMemory({ ...ann, memories: [{ kind: 'note', content: { parts: [{ text: 'A note.' }] } }] });
    await memory.addMemory({ ...bob, memories: [{ kind: 'note', content: { parts: [{ text: 'Bob’s.' }] } }] });
    return memory;
  }

  it('everything of one user comes out as JSON, past facts too and nothing of others, and goes in again elsewhere', async () => {
    const memory = await full();
    const exported = await exportMemory({ ...ann, memory, runtime });
    expect(JSON.parse(JSON.stringify(exported))).toEqual(exported);
    expect(exported).toMatchObject({ format: 'thole-memory', version: 1, ...ann, exportedAt: runtime.now() });
    expect(exported.memories).toHaveLength(5);
    expect(JSON.stringify(exported)).not.toContain('Bob');
    const other = new InMemoryMemoryService({ runtime });
    expect(await importMemory({ memory: other, exported })).toBe(5);
    expect(await importMemory({ memory: other, exported })).toBe(5);
    const again = await exportMemory({ ...ann, memory: other, runtime });
    expect(again.memories).toEqual(exported.memories);
    await importMemory({ memory: other, exported, as: bob });
    expect((await exportMemory({ ...bob, memory: other, runtime })).memories).toEqual(exported.memories);
  });

  it('with sessions come the conversations and the user’s state', async () => {
    const sessions = new InMemorySessionService({ runtime });
    await sessions.createSession({ ...ann, sessionId: 's9', state: { 'user:name': 'Ann', step: 1 } });
    await sessions.createSession({ ...bob, sessionId: 's9' });
    const event = createEvent({ author: 'user', content: { parts: [{ text: 'Hi.' }] } }, runtime);
    await sessions.appendEvent({ session: { ...ann, sessionId: 's9' }, event });
    const exported = await exportMemory({ ...ann, memory: await full(), sessions, runtime });
    expect(exported.userState).toEqual({ 'user:name': 'Ann' });
    expect(exported.sessions?.map(({ id, events, userId }) => [id, userId, events.length])).toEqual([['s9', 'ann', 1]]);
    expect(JSON.parse(JSON.stringify(exported))).toEqual(exported);
  });

  it('what is no export is refused with nothing written', async () => {
    const memory = new InMemoryMemoryService();
    const good = await exportMemory({ ...ann, memory: await full() });
    for (const exported of [
      undefined,
      'x',
      {},
      { ...good, version: 2 },
      { ...good, memories: 'x' },
      { ...good, userId: '' },
    ])
      await expect(importMemory({ memory, exported: exported as never })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    expect((await memory.listMemories(ann)).memories).toEqual([]);
  });

  it('a correction takes the place of what was wrong, which is neither listed nor found afterwards', async () => {
    const memory = await full();
    const [fact] = (await facts(memory)).filter(({ supersededBy }) => supersededBy === undefined);
    const corrected = await correctMemory({ ...ann, memory, id: fact!.id, text: 'Lives in Oslo.' });
    expect(corrected).toMatchObject({ id: fact!.id, evidence: fact!.evidence, validFrom: fact!.validFrom });
    expect(texts(await facts(memory)).toSorted()).toEqual(['Lives in Bonn.', 'Lives in Oslo.']);
    expect(await correctMemory({ ...ann, memory, id: 'nobody', text: 'x' })).toBeUndefined();
    expect(await correctMemory({ ...bob, memory, id: fact!.id, text: 'x' })).toBeUndefined();
    await expect(correctMemory({ ...ann, memory, id: fact!.id, text: ' ' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
