import { TholeError } from '@thole/core';
import { quoteMemory } from '@thole/core/kit';
import { InMemoryMemoryService, InMemorySessionService, VectorMemoryService } from '@thole/mem-services';
import { memoryCommands, RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { HashEmbedder, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { add, ann, facts, operations, textEvent, conversation, texts } from '../support/conversations.ts';

const hideNumbers = (text: string): string => text.replaceAll(/\d{4,}/g, '[number]');
const hideCards = (text: string): string => text.replaceAll(/\d{4}(?: \d{4}){3}/g, '[card]');
const everything = { kinds: ['turn', 'fact', 'note'] as const };

describe('RedactingMemoryService', () => {
  it('closes the wrapped service, also through a FactMemoryService', async () => {
    let closed = 0;
    const inner = Object.assign(new InMemoryMemoryService(), { close: async () => void closed++ });
    const redacting = new RedactingMemoryService({ memory: inner, redact: hideNumbers });
    await new FactMemoryService({ memory: redacting, llm: new ScriptedLlm() }).close();
    expect(closed).toBe(1);
    // This service has nothing to close.
    await new FactMemoryService({ memory: new InMemoryMemoryService(), llm: new ScriptedLlm() }).close();
  });

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

  it('redacts a text that extends over several parts of a content', async () => {
    const llm = new ScriptedLlm(operations());
    const inner = new InMemoryMemoryService();
    const memory = new FactMemoryService({
      memory: new RedactingMemoryService({ memory: inner, redact: hideCards }),
      llm,
    });
    const event = textEvent('user', 'e1', 'Card 4111 1111 ');
    event.content!.parts!.push({ text: '1111 1111.' });
    await memory.addSessionToMemory({ ...conversation('s1', []), events: [event] });
    expect(texts((await inner.listMemories({ ...ann, filter: everything })).memories)).toEqual(['Card [card].']);
    expect(JSON.stringify(llm.requests)).not.toContain('4111');
  });

  it('stores no fact, note or correction whose redacted text is empty', async () => {
    const inner = new InMemoryMemoryService();
    const memory = new RedactingMemoryService({ memory: inner, redact: (text) => (/secret/.test(text) ? ' ' : text) });
    const content = { parts: [{ text: 'A secret.' }] };
    const [note] = await memory.addMemory({ ...ann, memory: 'Likes tea.' });
    expect(await memory.addMemory({ ...ann, memories: [{ kind: 'fact', content }] })).toEqual([]);
    const error = (argument: string): object => ({
      code: 'INVALID_INPUT',
      message: `${argument} has no text after redaction, so it is not stored.`,
    });
    await expect(memory.addMemory({ ...ann, memory: 'A secret.' })).rejects.toMatchObject(error('memory'));
    const notes = [{ kind: 'note' as const, content }];
    await expect(memory.addMemory({ ...ann, memories: notes })).rejects.toMatchObject(error('memories[0]'));
    const change = { ...ann, id: note!.id, change: { content } };
    await expect(memory.updateMemory(change)).rejects.toMatchObject(error('change.content'));
    expect(texts((await inner.listMemories({ ...ann, filter: everything })).memories)).toEqual(['Likes tea.']);
  });

  it('tells the user of /remember what was stored, or that nothing was stored', async () => {
    const redact = (text: string): string => (/secret/.test(text) ? '' : hideNumbers(text));
    const memory = new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact });
    const commands = memoryCommands({ sessions: new InMemorySessionService(), memory });
    const ref = { ...ann, sessionId: 's1' };
    expect((await commands.handle('/remember PIN 4711', ref))?.text).toBe('Remembered: PIN [number]');
    const answer = await commands.handle('/remember a secret', ref);
    expect(answer?.text).toBe('Not remembered: this text cannot be stored.');
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
