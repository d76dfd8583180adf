import { textOf } from '@thole/core';
import { turnId } from '@thole/core/kit';
import { InMemoryMemoryService } from '@thole/mem-services';
import { exportMemory, importMemory, RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import type { FactMemoryServiceOptions } from '@thole/memory/facts';
import { fails, FixedRuntime, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { add, ann, current, facts, operations, conversation, texts } from '../support/conversations.ts';

const everything = { kinds: ['turn', 'fact', 'note'] as const };
const lines = ['user: I am vegetarian.', 'concierge: Noted. A screenshot was captured.'];
const vegetarian = conversation('s1', lines);

function factsOnly(options: Partial<FactMemoryServiceOptions>, ...answers: ScriptedAnswer[]) {
  const runtime = new FixedRuntime();
  const model = new ScriptedLlm(...answers);
  const inner = new InMemoryMemoryService({ runtime });
  const memory = new FactMemoryService({ memory: inner, llm: model, keepTurns: false, runtime, ...options });
  const stored = async () => (await inner.listMemories({ ...ann, limit: 1000, filter: everything })).memories;
  return { model, inner, memory, stored };
}

describe('FactMemoryService with keepTurns: false', () => {
  it('stores facts but no texts of turns', async () => {
    const { memory, model, stored } = factsOnly({}, operations(add('Likes no meat.', 't1')));
    await memory.addSessionToMemory(vegetarian);
    expect(textOf(model.requests[0]!.contents[0])).toContain('user: I am vegetarian.');
    expect(JSON.stringify(await stored())).not.toMatch(/vegetarian|screenshot/);
    expect(await current(memory)).toEqual(['Likes no meat.']);
    expect((await facts(memory))[0]!.evidence).toEqual([turnId('s1', 'e1')]);
  });

  it('stores no texts of turns that are imported, added or changed', async () => {
    const { memory, stored } = factsOnly({}, operations(add('Likes no meat.', 't1')));
    const complete = new InMemoryMemoryService();
    await complete.addSessionToMemory(conversation('s2', lines));
    await complete.addMemory({ ...ann, memory: 'Likes tea.' });
    const exported = await exportMemory({ ...ann, memory: complete });
    expect(await importMemory({ memory, exported })).toBe(3);
    await memory.addSessionToMemory(vegetarian);
    for (const id of [turnId('s1', 'e1'), turnId('s2', 'e1')]) {
      const change = { content: { parts: [{ text: 'I am vegetarian.' }] } };
      expect(await memory.updateMemory({ ...ann, id, change })).toBeUndefined();
    }
    expect(texts(await stored()).toSorted()).toEqual(['Likes no meat.', 'Likes tea.', '…', '…', '…', '…']);
    expect(await memory.deleteSessionMemory({ ...ann, sessionId: 's2' })).toBe(2);
    const invalid = { kind: 'turn', content: 'I am vegetarian.' } as never;
    await expect(memory.addMemory({ ...ann, memories: [invalid] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('returns no placeholders in searches and lists', async () => {
    const { memory } = factsOnly({}, operations(add('Likes no meat.', 't1')));
    await memory.addSessionToMemory(vegetarian);
    for (const query of ['meat', 'vegetarian', '…', 'What did I say in November 2023?']) {
      const { memories } = await memory.searchMemory({ ...ann, query });
      expect(memories.filter(({ kind }) => kind === 'turn')).toEqual([]);
    }
    expect(texts((await memory.searchMemory({ ...ann, query: 'meat' })).memories)).toEqual(['Likes no meat.']);
    const kinds = ['turn' as const];
    expect(await memory.searchMemory({ ...ann, query: 'meat', filter: { kinds } })).toEqual({ memories: [] });
    expect(await memory.listMemories({ ...ann, filter: { kinds } })).toEqual({ memories: [] });
    expect(texts((await memory.listMemories({ ...ann, filter: everything })).memories)).toEqual(['Likes no meat.']);
  });

  it('passes each turn to the model once, also when a session grows', async () => {
    const { memory, model } = factsOnly({}, operations(), operations(add('Likes tea.', 't1')));
    await memory.addSessionToMemory(vegetarian);
    await memory.addSessionToMemory(vegetarian);
    expect(model.requests).toHaveLength(1);
    await memory.addSessionToMemory(conversation('s1', [...lines, 'user: I like tea.']));
    const prompt = textOf(model.requests[1]!.contents[0]);
    expect(prompt).toMatch(/c1 .*I am vegetarian\.[^]*t1 .*I like tea\./);
    expect(await current(memory)).toEqual(['Likes tea.']);
  });

  it('stores no text if the model fails, and continues when the session is added again', async () => {
    const { memory, stored } = factsOnly({}, fails('MODEL_OVERLOADED'), operations(add('Likes no meat.', 't1')));
    await expect(memory.addSessionToMemory(vegetarian)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    expect(JSON.stringify(await stored())).not.toContain('vegetarian');
    expect(await memory.makeFacts(ann)).toEqual({ turns: 0, added: 0, superseded: 0, dropped: 0, rejected: 0 });
    await memory.addSessionToMemory(vegetarian);
    expect(await current(memory)).toEqual(['Likes no meat.']);
  });

  it('extracts facts with the session, or from events with extractFromEvents', async () => {
    const p = { ...ann, sessionId: 's1', events: vegetarian.events };
    const lazy = factsOnly({}, operations(add('Likes no meat.', 't1')));
    await lazy.memory.addEventsToMemory(p);
    expect(lazy.model.requests).toHaveLength(0);
    await lazy.memory.addSessionToMemory(vegetarian);
    expect(await current(lazy.memory)).toEqual(['Likes no meat.']);
    const eager = factsOnly({ extractFromEvents: true }, operations(add('Likes no meat.', 't1')));
    await eager.memory.addEventsToMemory(p);
    expect(await current(eager.memory)).toEqual(['Likes no meat.']);
  });

  it('deletes facts with their session and does not extract them again (contract 31)', async () => {
    const { memory, model, stored } = factsOnly({}, operations(add('Likes no meat.', 't1')));
    await memory.addSessionToMemory(vegetarian);
    await memory.deleteSessionMemory({ ...ann, sessionId: 's1' });
    await memory.addSessionToMemory(vegetarian);
    expect([await stored(), model.requests.length]).toEqual([[], 1]);
  });

  it('passes redacted turns to the model inside a RedactingMemoryService', async () => {
    const { memory, model } = factsOnly({}, operations());
    const redact = (text: string): string => text.replaceAll('vegetarian', '[diet]');
    await new RedactingMemoryService({ memory, redact }).addSessionToMemory(vegetarian);
    expect(textOf(model.requests[0]!.contents[0])).toContain('I am [diet].');
  });

  it.each([
    [{ keepTurns: 'no' as never }, /keepTurns must be a boolean/],
    [{ extractFromEvents: 'no' as never }, /extractFromEvents must be a boolean/],
    [
      { memory: new RedactingMemoryService({ memory: new InMemoryMemoryService(), redact: (text) => text }) },
      /Wrap the FactMemoryService in a RedactingMemoryService/,
    ],
  ] as [Partial<FactMemoryServiceOptions>, RegExp][])('rejects options %# with INVALID_INPUT', (options, message) => {
    expect(() => factsOnly(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }),
    );
  });

  it('rejects values that are not sessions with INVALID_INPUT', async () => {
    const { memory } = factsOnly({});
    for (const session of [undefined, {}, { ...ann, id: 's1', events: [null] }])
      await expect(memory.addSessionToMemory(session as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
