import { createEvent, TholeError } from '@thole/core';
import type { MemoryService } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { correctMemory, exportMemory, importMemory, RedactingMemoryService } from '@thole/memory';
import { FactMemoryService } from '@thole/memory/facts';
import { FixedRuntime, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { add, ann, bob, facts, operations, conversation, texts } from '../support/conversations.ts';

describe('exportMemory, importMemory and correctMemory', () => {
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
    await memory.addSessionToMemory(conversation('s1', ['user: I live in Bonn.']));
    await memory.addSessionToMemory(conversation('s2', ['user: Now in Rome.']));
    await memory.addMemory({ ...ann, memories: [{ kind: 'note', content: { parts: [{ text: 'A note.' }] } }] });
    await memory.addMemory({ ...bob, memories: [{ kind: 'note', content: { parts: [{ text: 'Bob’s.' }] } }] });
    return memory;
  }

  it('export all entries of a user as JSON and import them elsewhere', async () => {
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

  it.each([
    ['FactMemoryService', (memory: MemoryService) => memory],
    [
      'RedactingMemoryService',
      (memory: MemoryService) => new RedactingMemoryService({ memory, redact: (text) => text }),
    ],
  ])('do not extract the facts of imported turns again: %s', async (_, wrap) => {
    const exported = await exportMemory({ ...ann, memory: wrap(await full()), runtime });
    const llm = new ScriptedLlm();
    const memory = new FactMemoryService({ memory: new InMemoryMemoryService({ runtime }), llm, runtime });
    await importMemory({ memory: wrap(memory), exported });
    await memory.addSessionToMemory(conversation('s1', ['user: I live in Bonn.']));
    expect(await memory.makeFacts(ann)).toMatchObject({ turns: 0 });
    expect(llm.requests).toEqual([]);
    const turns = (await memory.listMemories({ ...ann, filter: { kinds: ['turn'] } })).memories;
    expect(turns.map(({ customMetadata }) => customMetadata)).toEqual([undefined, undefined]);
  });

  it("export sessions and the user's state with sessions", async () => {
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

  it.each(['changes', 'is deleted'])('export all other sessions if a session %s meanwhile', async (change) => {
    const sessions = new InMemorySessionService({ runtime });
    const ids = Array.from({ length: 120 }, (_, i) => `s${String(i).padStart(3, '0')}`);
    for (const sessionId of ids) await sessions.createSession({ ...ann, sessionId });
    const read = sessions.getSession.bind(sessions);
    sessions.getSession = async (p) => {
      const session = await read(p);
      if (p.sessionId !== 's009') return session;
      await runtime.advance(1_000);
      if (change === 'is deleted') await sessions.deleteSession({ ...ann, sessionId: 's008' });
      else await sessions.updateState({ ...ann, sessionId: 's008', stateDelta: { step: 2 } });
      return session;
    };
    const exported = await exportMemory({ ...ann, memory: new InMemoryMemoryService(), sessions, runtime });
    expect(exported.sessions?.map(({ id }) => id)).toEqual(ids);
  });

  it('reject values that are not exports with INVALID_INPUT', async () => {
    const memory = new InMemoryMemoryService();
    const valid = await exportMemory({ ...ann, memory: await full() });
    for (const exported of [
      undefined,
      'x',
      {},
      { ...valid, version: 2 },
      { ...valid, memories: 'x' },
      { ...valid, userId: '' },
    ])
      await expect(importMemory({ memory, exported: exported as never })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
      });
    expect((await memory.listMemories(ann)).memories).toEqual([]);
  });

  it('import no entry into a shared scope, and write nothing then', async () => {
    const memory = new InMemoryMemoryService();
    const valid = await exportMemory({ ...ann, memory: await full() });
    const shared = { ...valid.memories[0]!, id: 'shared', scope: { team: 'sales' } };
    const call = importMemory({ memory, exported: { ...valid, memories: [...valid.memories, shared] } });
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('memories[5]'),
    });
    expect((await memory.listMemories(ann)).memories).toEqual([]);
    expect((await memory.listMemories({ ...ann, scope: { team: 'sales' } })).memories).toEqual([]);
  });

  it('name an invalid entry by its position in the export, and import a corrected export', async () => {
    const memory = new InMemoryMemoryService();
    const valid = await exportMemory({ ...ann, memory: await full() });
    const memories = Array.from({ length: 450 }, (_, i) => ({ ...valid.memories[0]!, id: `n${i}` }));
    const exported = { ...valid, memories: memories.with(250, { ...memories[0]!, kind: 'x' as never }) };
    await expect(importMemory({ memory, exported })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('exported.memories[250].kind must be'),
    });
    expect(await importMemory({ memory, exported: { ...valid, memories } })).toBe(450);
    expect((await memory.listMemories({ ...ann, limit: 1_000 })).memories.map(({ id }) => id).toSorted()).toEqual(
      memories.map(({ id }) => id).toSorted(),
    );
  });

  it('throw an error of the store during an import unchanged', async () => {
    const memory = new InMemoryMemoryService();
    const exported = await exportMemory({ ...ann, memory: await full() });
    const error = new TholeError('STORE_UNAVAILABLE', 'The store did not answer.');
    memory.addMemory = () => Promise.reject(error);
    await expect(importMemory({ memory, exported })).rejects.toBe(error);
  });

  it('export an entry that is changed meanwhile once, with its new text', async () => {
    const memory = new InMemoryMemoryService();
    const content = { parts: [{ text: 'old' }] };
    const memories = Array.from({ length: 600 }, (_, i) => ({ id: `n${i}`, kind: 'note' as const, content }));
    await memory.addMemory({ ...ann, memories });
    const list = memory.listMemories.bind(memory);
    memory.listMemories = async (p) => {
      const page = await list(p);
      if (p.cursor === undefined) await correctMemory({ ...ann, memory, id: 'n3', text: 'new' });
      return page;
    };
    const exported = await exportMemory({ ...ann, memory });
    expect(exported.memories).toHaveLength(600);
    expect(texts(exported.memories.filter(({ id }) => id === 'n3'))).toEqual(['new']);
  });

  it('replace a wrong text, which is no longer listed', async () => {
    const memory = await full();
    const [fact] = (await facts(memory)).filter(({ supersededBy }) => supersededBy === undefined);
    const corrected = await correctMemory({ ...ann, memory, id: fact!.id, text: 'Lives in Oslo.' });
    expect(corrected).toMatchObject({ id: fact!.id, evidence: fact!.evidence, validFrom: fact!.validFrom });
    expect(texts(await facts(memory)).toSorted()).toEqual(['Lives in Bonn.', 'Lives in Oslo.']);
    expect(await correctMemory({ ...ann, memory, id: 'unknown', text: 'x' })).toBeUndefined();
    expect(await correctMemory({ ...bob, memory, id: fact!.id, text: 'x' })).toBeUndefined();
    await expect(correctMemory({ ...ann, memory, id: fact!.id, text: ' ' })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
