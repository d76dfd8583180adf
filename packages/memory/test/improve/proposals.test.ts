import { createEvent, textOf, TholeError } from '@thole/core';
import type { JsonObject } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { applyProposals, proposeMemories, RedactingMemoryService, undoProposals } from '@thole/memory';
import type { Proposal } from '@thole/memory';
import { FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ann, bob, texts } from '../support/conversations.ts';

const everything = { kinds: ['fact', 'note'] as const };

async function setUp(...proposals: JsonObject[]) {
  const runtime = new FixedRuntime();
  const memory = new InMemoryMemoryService({ runtime });
  const sessions = new InMemorySessionService({ runtime });
  const here = { ...ann, sessionId: 'here' };
  await sessions.createSession(here);
  for (const [author, text] of [
    ['user', 'My sister Eva lives in Oslo.'],
    ['concierge', 'A screenshot was captured.'],
  ] as const) {
    const event = createEvent({ author, content: { parts: [{ text }] } }, runtime);
    await sessions.appendEvent({ session: here, event });
    await runtime.advance(1000);
  }
  const fact = (text: string) => ({ kind: 'fact' as const, content: { parts: [{ text }] }, id: text, validFrom: 5 });
  await memory.addMemory({ ...ann, memories: [fact('Sister lives in Bonn.'), fact('A screenshot was captured.')] });
  const llm = new ScriptedLlm(says(JSON.stringify({ proposals })));
  const propose = () => proposeMemories({ ...ann, sessions, memory, llm, runtime });
  const current = async () => {
    const { memories } = await memory.listMemories({ ...ann, filter: everything });
    return texts(memories.filter(({ validTo }) => validTo === undefined)).toSorted();
  };
  return { runtime, memory, sessions, llm, propose, current };
}

const sister = {
  action: 'add',
  target: '',
  text: 'Her sister is called Eva.',
  reason: 'She said so.',
  evidence: ['t1'],
};
const moved = { action: 'correct', target: 'k1', text: 'Sister lives in Oslo.', reason: 'Oslo now.', evidence: ['t1'] };
const noise = { action: 'remove', target: 'k2', text: '', reason: 'Nothing about her.', evidence: ['t2'] };

describe('proposeMemories', () => {
  it('returns additions, corrections and removals and changes nothing', async () => {
    const { propose, llm, current, runtime } = await setUp(sister, moved, noise);
    const before = await current();
    const proposals = await propose();
    expect(proposals).toMatchObject([
      { ...ann, action: 'add', text: 'Her sister is called Eva.', reason: 'She said so.', proposedAt: runtime.now() },
      { action: 'correct', text: 'Sister lives in Oslo.', target: { id: 'Sister lives in Bonn.' } },
      { action: 'remove', text: '', target: { id: 'A screenshot was captured.' } },
    ]);
    expect(proposals.every(({ evidence }) => evidence.length === 1)).toBe(true);
    expect(JSON.parse(JSON.stringify(proposals))).toEqual(proposals);
    expect(await current()).toEqual(before);
    const prompt = textOf(llm.requests[0]!.contents[0]);
    expect(prompt).toMatch(/t1 \S+ user: My sister Eva lives in Oslo\./);
    expect(prompt).toMatch(/k2 .*: A screenshot was captured\./);
  });

  it("passes times in the user's time zone to the model", async () => {
    const { memory, sessions, llm, runtime } = await setUp();
    await proposeMemories({ ...ann, sessions, memory, llm, runtime, timeZone: 'Asia/Tokyo' });
    const text = textOf(llm.requests[0]!.contents[0]);
    expect(text).toMatch(/^It is 2023-11-15T07:13\+09:00\.\n[^]*\nt1 2023-11-15T07:13\+09:00 user: My sister/);
    const mars = { ...ann, sessions, memory, llm, runtime, timeZone: 'Mars/Olympus' };
    await expect(proposeMemories(mars)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('rejects a missing session service with INVALID_INPUT, and calls no model', async () => {
    const { memory, llm, runtime } = await setUp();
    await expect(proposeMemories({ ...ann, memory, llm, runtime } as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'sessions must be a SessionService, got undefined.',
    });
    expect(llm.requests).toEqual([]);
  });

  it('leaves out proposals without a reason, evidence, target or text', async () => {
    const { propose } = await setUp(
      { ...sister, reason: ' ' },
      { ...sister, evidence: [] },
      { ...sister, evidence: ['t9'] },
      { ...sister, evidence: ['k1'] },
      { ...moved, target: 'k9' },
      { ...moved, target: 't1' },
      { ...sister, text: '' },
      { ...sister, action: 'shout' },
      sister,
    );
    expect((await propose()).map(({ text }) => text)).toEqual(['Her sister is called Eva.']);
  });

  it('does not review deleted turns of existing sessions (contract 31)', async () => {
    const { propose, memory, llm } = await setUp(sister);
    await memory.deleteUserMemory(ann);
    expect(await propose()).toEqual([]);
    expect(llm.requests).toEqual([]);
  });

  it('reviews one user only', async () => {
    const { sessions, memory, llm, runtime } = await setUp(sister);
    expect(await proposeMemories({ ...bob, sessions, memory, llm, runtime })).toEqual([]);
    expect(llm.requests).toEqual([]);
  });
});

describe('applyProposals and undoProposals', () => {
  it('apply and undo approved proposals', async () => {
    const { propose, memory, current, runtime } = await setUp(sister, moved, noise);
    const before = (await memory.listMemories({ ...ann, filter: everything })).memories;
    const proposals = await propose();
    const audit = await applyProposals({ memory, proposals, approvedBy: 'ann herself', runtime });
    expect(await current()).toEqual(['Her sister is called Eva.', 'Sister lives in Oslo.']);
    expect(audit).toMatchObject({ ...ann, appliedAt: runtime.now(), approvedBy: 'ann herself', refused: [] });
    expect(audit.changes.map(({ proposal }) => proposal.action)).toEqual(['add', 'correct', 'remove']);
    const { memories } = await memory.listMemories({ ...ann, filter: { kinds: ['fact'] } });
    const eva = memories.find(({ content }) => textOf(content).includes('Eva'))!;
    expect(eva.customMetadata).toEqual({
      proposal: { id: proposals[0]!.id, reason: 'She said so.', auditId: audit.id, approvedBy: 'ann herself' },
    });
    expect(await undoProposals({ memory, audit: JSON.parse(JSON.stringify(audit)) })).toBe(3);
    const after = (await memory.listMemories({ ...ann, filter: everything })).memories;
    expect(after.toSorted((a, b) => (a.id < b.id ? 1 : -1))).toEqual(before.toSorted((a, b) => (a.id < b.id ? 1 : -1)));
    expect(await undoProposals({ memory, audit }), 'the second call undoes nothing').toBe(0);
    expect(await current()).toEqual(before.map(({ content }) => textOf(content)).toSorted());
  });

  it('apply only the given proposals', async () => {
    const { propose, memory, current, runtime } = await setUp(sister, moved, noise);
    const proposals = (await propose()).slice(0, 1);
    await applyProposals({ memory, proposals, runtime });
    expect(await current()).toHaveLength(3);
  });

  it('refuse incomplete proposals and apply the others', async () => {
    const { memory, propose, runtime, current } = await setUp(sister, moved, noise);
    const [add, correct, remove] = await propose();
    const proposals = [
      { ...add, action: 'keep' },
      { ...add, text: ' ' },
      { ...add, evidence: undefined },
      { ...correct, target: undefined },
      { ...correct, text: '' },
      { ...remove, target: undefined },
      { ...remove },
    ] as Proposal[];
    const audit = await applyProposals({ memory, proposals, runtime });
    expect(audit.refused.map(({ reason }) => reason)).toEqual([
      'its action is not add, correct or remove',
      'its text is empty',
      'it has no evidence',
      'it has no target',
      'its text is empty',
      'it has no target',
    ]);
    expect(audit.changes).toHaveLength(1);
    expect(await current()).toEqual(['Sister lives in Bonn.']);
  });

  it('refuse proposals whose target has changed or whose evidence is gone', async () => {
    const { propose, memory, current, runtime } = await setUp(sister, moved, noise);
    const proposals = await propose();
    await memory.updateMemory({
      ...ann,
      id: 'Sister lives in Bonn.',
      change: { content: { parts: [{ text: 'No sister.' }] } },
    });
    await memory.deleteMemory({ ...ann, ids: proposals[0]!.evidence });
    const audit = await applyProposals({ memory, proposals, runtime });
    expect(audit.refused.map(({ reason }) => reason)).toEqual([
      'its evidence is no longer in memory',
      'its evidence is no longer in memory',
    ]);
    expect(await current()).toEqual(['No sister.']);
  });

  it('undo proposals whose evidence is deleted during the call (contract 31)', async () => {
    const { propose, memory, current, runtime } = await setUp(sister, moved, { ...sister, text: 'Eva.' });
    const before = await current();
    const proposals = await propose();
    const turns = ['t1', 't2'].map((id) => ({ id, kind: 'turn' as const, content: { parts: [{ text: id }] } }));
    await memory.addMemory({ ...ann, memories: turns });
    proposals[2]!.evidence = ['t1', 't2'];
    const add = memory.addMemory.bind(memory);
    memory.addMemory = async (p) => {
      memory.addMemory = add;
      await memory.deleteMemory({ ...ann, ids: [...proposals[0]!.evidence, 't1'] });
      return add(p);
    };
    const audit = await applyProposals({ memory, proposals, runtime });
    expect(audit.refused).toEqual(
      proposals.slice(0, 2).map(({ id }) => ({ proposalId: id, reason: 'its evidence is no longer in memory' })),
    );
    expect(audit.changes.map(({ proposal }) => proposal.id)).toEqual([proposals[2]!.id]);
    expect(await current()).toEqual([...before, 'Eva.'].toSorted());
    const { memories } = await memory.listMemories({ ...ann, filter: { kinds: ['fact'] } });
    expect(memories.find(({ content }) => textOf(content) === 'Eva.')!.evidence).toEqual(['t2']);
  });

  it('do not restore what the user has deleted since (contract 31)', async () => {
    const { propose, memory, runtime } = await setUp(sister, moved, noise);
    const audit = await applyProposals({ memory, proposals: await propose(), runtime });
    await memory.deleteUserMemory(ann);
    expect(await undoProposals({ memory, audit })).toBe(0);
    expect((await memory.listMemories(ann)).memories).toEqual([]);
  });

  it('do not end a fact whose correction a redacting memory does not store', async () => {
    const { memory: inner, propose, current } = await setUp(moved);
    const proposals = await propose();
    const memory = new RedactingMemoryService({ memory: inner, redact: (text) => (/Oslo/.test(text) ? '' : text) });
    await applyProposals({ memory, proposals });
    expect(await current()).toContain('Sister lives in Bonn.');
  });

  it('do not restore an old fact if its correction has ended since', async () => {
    const { propose, memory, current, runtime } = await setUp(moved);
    const audit = await applyProposals({ memory, proposals: await propose(), runtime });
    const addedId = audit.changes[0]!.added!.id;
    const paris = { kind: 'fact' as const, content: { parts: [{ text: 'Sister lives in Paris.' }] }, id: 'Paris' };
    await memory.addMemory({ ...ann, memories: [paris] });
    const validTo = runtime.now() + 5;
    await memory.updateMemory({ ...ann, id: addedId, change: { validTo, supersededBy: 'Paris' } });
    expect(await undoProposals({ memory, audit })).toBe(1);
    expect(await current()).toEqual(['A screenshot was captured.', 'Sister lives in Paris.']);
    const { memories } = await memory.listMemories({ ...ann, filter: everything });
    expect(memories.find(({ id }) => id === 'Sister lives in Bonn.')).toMatchObject({ validTo, supersededBy: 'Paris' });
    expect(memories.find(({ id }) => id === addedId)).toBeUndefined();
  });

  it('keep later corrections, and leave out deleted evidence (contract 31)', async () => {
    const { propose, memory, runtime } = await setUp(moved);
    const turns = [1, 2].map((n) => ({
      ...{ id: `t${n}`, kind: 'turn' as const, sessionId: 's', eventId: `e${n}` },
      content: { parts: [{ text: `Turn ${n}.` }] },
    }));
    await memory.addMemory({ ...ann, memories: turns });
    await memory.updateMemory({ ...ann, id: 'Sister lives in Bonn.', change: { evidence: ['t1', 't2'] } });
    const proposals = await propose();
    const audit = await applyProposals({ memory, proposals, runtime });
    const content = { parts: [{ text: 'Sister lived in Berlin.' }] };
    await memory.updateMemory({ ...ann, id: 'Sister lives in Bonn.', change: { content } });
    await memory.deleteMemory({ ...ann, ids: ['t1'] });
    expect(await undoProposals({ memory, audit })).toBe(1);
    const { memories } = await memory.listMemories({ ...ann, filter: everything });
    const bonn = memories.find(({ id }) => id === 'Sister lives in Bonn.')!;
    expect([textOf(bonn.content), bonn.evidence, bonn.validTo]).toEqual(['Sister lived in Berlin.', ['t2'], undefined]);
  });

  it('record changes in the audit if the store fails, so that they can be undone', async () => {
    const { propose, memory, current, runtime } = await setUp(sister, moved, noise);
    const before = await current();
    const proposals = await propose();
    const update = memory.updateMemory.bind(memory);
    memory.updateMemory = () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'The store is gone.'));
    const audit = await applyProposals({ memory, proposals, runtime });
    memory.updateMemory = update;
    expect(audit.refused.map(({ proposalId, reason }) => [proposalId, reason])).toEqual(
      proposals.slice(1).map(({ id }) => [id, 'it could not be written (STORE_UNAVAILABLE)']),
    );
    expect(await current()).toContain('Sister lives in Oslo.');
    expect(await undoProposals({ memory, audit })).toBe(2);
    expect(await current()).toEqual(before);
  });

  it('reject proposals of several users and empty lists', async () => {
    const { propose, memory } = await setUp(sister, moved);
    const [first, second] = await propose();
    const mixed = [first!, { ...second!, userId: 'bob' }];
    await expect(applyProposals({ memory, proposals: mixed })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(applyProposals({ memory, proposals: [] })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
