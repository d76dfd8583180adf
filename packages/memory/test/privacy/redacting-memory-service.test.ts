import { TholeError } from '@thole/core';
import { quoteMemory } from '@thole/core/kit';
import { InMemoryMemoryService, VectorMemoryService } from '@thole/mem-services';
import { RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { HashEmbedder, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { add, ann, facts, operations, textEvent, conversation, texts } from '../support/conversations.ts';

const hideNumbers = (text: string): string => text.replaceAll(/\d{4,}/g, '[number]');
const everything = { kinds: ['turn', 'fact', 'note'] as const };

describe('RedactingMemoryService', () => {
  it('redacts turns, facts and notes before they are stored', async () => {
    const inner = new InMemoryMemoryService();
    const memory = new RedactingMemoryService({ memory: inner, redact: async (text) => hideNumbers(text) });
    await memory.addSessionToMemory(conversation('s1', ['user: My card is 4111111111111111.']));
    await memory.addEventsToMemory({ ...ann, sessionId: 's2', events: [textEvent('user', 'e1', 'PIN 4711')] });
    const content = { parts: [{ text: 'Code 12345' }, { text: ' and 67890.' }] };
    const [note] = await memory.addMemory({ ...ann, memories: [{ kind: 'note', content }] });
    expect(note!.content.parts).toEqual([{ text: 'Code [number]' }, { text: ' and [number].' }]);
    await memory.updateMemory({ ...ann, id: note!.id, change: { content: { parts: [{ text: 'Code 99999' }] } } });
    const kept = (await inner.listMemories({ ...ann, filter: everything })).memories;
    expect(texts(kept)).toEqual(['My card is [number].', 'PIN [number]', 'Code [number]']);
  });

  it('rejects a redact function that returns no string, before anything is stored', async () => {
    const inner = new InMemoryMemoryService();
    const redact = ((text: string) => void hideNumbers(text)) as unknown as (text: string) => string;
    const memory = new RedactingMemoryService({ memory: inner, redact });
    const error = { code: 'INVALID_INPUT', message: 'The result of redact must be a string, got undefined.' };
    const session = conversation('s1', ['user: Good morning.']);
    await expect(memory.addSessionToMemory(session)).rejects.toMatchObject(error);
    const { events } = session;
    await expect(memory.addEventsToMemory({ ...ann, sessionId: 's1', events })).rejects.toMatchObject(error);
    await expect(memory.addMemory({ ...ann, memory: 'Likes tea.' })).rejects.toMatchObject(error);
    await expect(memory.searchMemory({ ...ann, query: 'tea' })).rejects.toMatchObject(error);
    expect((await inner.listMemories({ ...ann, filter: everything })).memories).toEqual([]);
  });

  it('passes only redacted texts and queries to the embedder', async () => {
    const seen: string[] = [];
    const embedder = new HashEmbedder();
    const embed = embedder.embed.bind(embedder);
    embedder.embed = (inputs, options) => {
      seen.push(...inputs);
      return embed(inputs, options);
    };
    const memory = new RedactingMemoryService({ memory: new VectorMemoryService({ embedder }), redact: hideNumbers });
    await memory.addSessionToMemory(conversation('s1', ['user: My card is 4111111111111111.']));
    await memory.searchMemory({ ...ann, query: 'card 4111111111111111' });
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.join()).not.toMatch(/\d{4}/);
  });

  it('passes minRelevance, timeZone, filter and explain to the search', async () => {
    const requests: unknown[] = [];
    const inner = new InMemoryMemoryService();
    const search = inner.searchMemory.bind(inner);
    inner.searchMemory = (p) => {
      requests.push(p);
      return search(p);
    };
    const more = { minRelevance: 0.4, minScore: 0.1, timeZone: 'Asia/Tokyo', explain: true, limit: 3, filter: {} };
    const extractor = { specVersion: 1 as const, extract: async () => [] };
    const redacting = new RedactingMemoryService({ memory: inner, redact: hideNumbers });
    for (const memory of [redacting, new FactMemoryService({ memory: redacting, extractor })])
      await memory.searchMemory({ ...ann, query: 'PIN 4711', ...more });
    expect(requests).toEqual(Array.from({ length: 2 }, () => ({ ...ann, query: 'PIN [number]', ...more })));
  });

  it('redacts turns for the model, and its facts, inside a FactMemoryService', async () => {
    const llm = new ScriptedLlm(operations(add('Card 4111111111111111.', 't1')));
    const redacting = new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact: hideNumbers });
    const memory = new FactMemoryService({ memory: redacting, llm });
    await memory.addSessionToMemory(conversation('s1', ['user: My card is 4111111111111111.']));
    expect(JSON.stringify(llm.requests)).not.toContain('4111');
    expect(texts(await facts(memory))).toEqual(['Card [number].']);
  });

  it('stores nothing if redact throws, and no turn whose redacted text is empty', async () => {
    const inner = new InMemoryMemoryService();
    const failing = new RedactingMemoryService({
      memory: inner,
      redact: () => {
        throw new TholeError('INVALID_INPUT', 'no');
      },
    });
    await expect(failing.addSessionToMemory(conversation('s1', ['user: Hello.']))).rejects.toMatchObject({
      message: 'no',
    });
    const hiding = new RedactingMemoryService({ memory: inner, redact: () => '' });
    await hiding.addSessionToMemory(conversation('s1', ['user: Hello.']));
    expect((await inner.listMemories(ann)).memories).toEqual([]);
  });

  it('removes quoted memory before redaction', async () => {
    const inner = new InMemoryMemoryService();
    const memory = new RedactingMemoryService({ memory: inner, redact: (text) => text.replaceAll('past', 'last') });
    await memory.addSessionToMemory(conversation('s1', [`user: ${quoteMemory('- user: secret')}In the past.`]));
    expect(texts((await inner.listMemories(ann)).memories)).toEqual(['In the last.']);
  });

  it('does not change its arguments', async () => {
    const memory = new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact: hideNumbers });
    const session = conversation('s1', ['user: PIN 4711']);
    const before = structuredClone(session);
    await memory.addSessionToMemory(session);
    expect(session).toEqual(before);
  });
});
