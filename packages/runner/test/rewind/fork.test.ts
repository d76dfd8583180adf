import { callStatus, getFunctionCalls, getFunctionResponses, pendingInterrupts, TholeError } from '@thole/core';
import { ingestibleEvents } from '@thole/core/kit';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';
import type { LlmTestSetup } from '../support/llm-setup.ts';

const save = toolOf('save', async (args, context) => {
  const text = args['text'] as string;
  context.state.set('note', text);
  await context.saveArtifact('note.txt', { text: text });
  return 'saved';
});
const copy = { ...ref, sessionId: 'copy' };

/** Creates a session with one invocation for each text. Each saves the text as state and as a file. */
async function createNotes(...texts: string[]): Promise<LlmTestSetup & { invocations: string[]; model: ScriptedLlm }> {
  const model = new ScriptedLlm(
    ...texts.flatMap((text) => [calls('save', { text }), says(`Saved ${text}.`)]),
    says('Fine.'),
  );
  const setup = await createSetup(rootOf(model, { tools: [save] }), {}, { note: 'initial', 'user:name': 'Ann' });
  const invocations: string[] = [];
  for (const text of texts)
    invocations.push((await setup.runner.runToCompletion({ ...hello, newMessage: text })).invocationId);
  return { ...setup, invocations, model };
}

describe('Runner.fork', () => {
  it('copies events, state and files before an invocation', async () => {
    const { artifacts, invocations, model, runner, sessions, stored } = await createNotes('one', 'two');
    const original = await stored();
    const p = { ...ref, beforeInvocationId: invocations[1]!, newSessionId: 'copy' };
    const forked = await runner.fork(p);
    const count = original.events.findIndex((event) => event.invocationId === invocations[1]);
    expect(forked).toEqual(await sessions.getSession(copy));
    expect(forked).toMatchObject({
      id: 'copy',
      state: { note: 'one', 'user:name': 'Ann' },
      forkedFrom: { sessionId: 's', incarnation: original.incarnation, copiedEvents: count },
    });
    expect(forked.events).toEqual(original.events.slice(0, count));
    expect(await artifacts.listVersions({ ...copy, filename: 'note.txt' })).toEqual([0]);
    expect(await artifacts.loadArtifact({ ...copy, filename: 'note.txt' })).toMatchObject({ text: 'one' });
    expect(await stored()).toEqual(original);
    await runner.runToCompletion({ ...copy, newMessage: 'three' });
    expect(JSON.stringify(model.requests.at(-1)!.contents)).not.toContain('two');
    const { events } = (await sessions.getSession(copy))!;
    expect(ingestibleEvents({ ...forked, events })).toEqual(events.slice(count));
  });

  it('answers a long-running call without an answer, and shows it to the model of the copy', async () => {
    const order = toolOf('order', () => ({ ticket: 1 }), { isLongRunning: true });
    const model = new ScriptedLlm(calls('order', {}, 'c1'), says('Fine.'));
    const { runner } = await createSetup(rootOf(model, { tools: [order] }));
    await runner.runToCompletion(hello);
    const { events } = await runner.fork({ ...ref, newSessionId: 'copy' });
    expect(callStatus(events, 'c1')?.status).toBe('answered');
    await runner.runToCompletion({ ...copy, newMessage: 'And now?' });
    expect(JSON.stringify(model.requests[1]!.contents)).toContain('not continued in this copy');
  });

  it('deletes the files of a copy that cannot be stored', async () => {
    const { artifacts, runner, sessions } = await createNotes('one');
    const failure = new TholeError('STORE_UNAVAILABLE', 'The store is gone.');
    Object.defineProperty(sessions, 'insertSession', { value: () => Promise.reject(failure) });
    await expect(runner.fork({ ...ref, newSessionId: 'copy' })).rejects.toBe(failure);
    expect(await artifacts.listArtifactKeys(copy)).toEqual([]);
  });

  it('copies all events by default, and up to a seq', async () => {
    const { runner, stored } = await createNotes('one');
    const { events } = await stored();
    const all = await runner.fork(ref);
    expect([all.events, all.id === 's']).toEqual([events, false]);
    const part = await runner.fork({ ...ref, uptoSeq: 1 });
    expect([part.events, part.state['note']]).toEqual([events.slice(0, 1), 'initial']);
  });

  it('assigns new version numbers to files, and omits deleted files', async () => {
    const { artifacts, runner, stored } = await createNotes('one');
    await artifacts.saveArtifact({ ...ref, filename: 'note.txt', artifact: { text: 'unnamed' } });
    const { seq: _, ...event } = { ...(await stored()).events[0]!, id: 'named', invocationId: 'named' };
    await artifacts.saveArtifact({ ...ref, filename: 'note.txt', artifact: { text: 'named' } });
    const actions = { ...event.actions, artifactDelta: { 'note.txt': 2, 'user:card.txt': 7, 'gone.txt': 4 } };
    await runner.sessionService.appendEvent({ session: ref, event: { ...event, actions } });
    const forked = await runner.fork({ ...ref, newSessionId: 'copy' });
    expect(forked.events.at(-1)!.actions.artifactDelta).toEqual({ 'note.txt': 1, 'user:card.txt': 7 });
    const newest = await artifacts.loadArtifact({ ...copy, filename: 'note.txt', version: 1 });
    expect(newest).toMatchObject({ text: 'named' });
  });

  it('closes interrupts and calls without an answer in the copy only', async () => {
    const paid: unknown[] = [];
    const pay = toolOf('pay', (args) => paid.push(args), { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay', {}, 'c1'), says('Not paid.'));
    const { runner, sessions, stored } = await createSetup(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    const forked = await runner.fork({ ...ref, newSessionId: 'copy' });
    expect(pendingInterrupts((await stored()).events)).toEqual(interrupts);
    expect(pendingInterrupts(forked.events)).toEqual([]);
    const [answer, record] = forked.events.slice(-2);
    expect(getFunctionResponses(answer!)).toMatchObject([
      { id: 'c1', name: 'pay', response: { error: 'not continued in this copy' } },
    ]);
    expect(record).toMatchObject({ author: 'system', invocationId, errorCode: 'RUN_ABORTED' });
    expect(forked.forkedFrom!.copiedEvents).toBe(forked.events.length);
    const waiting = await sessions.listWaitingSessions({ appName: 'app', kind: 'interrupts' });
    expect(waiting.sessions.map(({ key }) => key.sessionId)).toEqual(['s']);
    const { error } = await outcomeOf(runner.resume({ ...copy, answers: { [interrupts[0]!.id]: true } }));
    expect(error).toBeDefined();
    expect((await runner.runToCompletion({ ...copy, newMessage: 'and now?' })).text).toBe('Not paid.');
    expect(JSON.stringify(model.requests.at(-1)!.contents)).toContain('not continued in this copy');
    expect(paid).toEqual([]);
  });

  it('answers a long-running call in the branch of its agent', async () => {
    const order = toolOf('order', () => undefined, { isLongRunning: true });
    const seller = new LlmAgent({ name: 'seller', model: new ScriptedLlm(calls('order', {}, 'c1')), tools: [order] });
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents: [seller] }));
    await outcomeOf(runner.runAsync(hello));
    const { events } = await runner.fork({ ...ref, newSessionId: 'copy' });
    const [answer] = events.slice(-2);
    const call = events.find((event) => getFunctionCalls(event).length > 0)!;
    expect(call.branch).toContain('seller');
    expect([answer!.branch, answer!.nodeInfo]).toEqual([call.branch, call.nodeInfo]);
  });

  it('numbers the ranges of summaries by the events of the copy', async () => {
    const { runner, sessions, stored } = await createNotes('one');
    const { seq: _, ...event } = (await stored()).events.at(-1)!;
    const compactedContent = { role: 'model' as const, parts: [{ text: 'x' }] };
    for (const [startSeq, endSeq] of [
      [2, 4],
      [4, 4],
    ] as const) {
      const compaction = { startSeq, endSeq, eventIds: [], compactedContent, startTimestamp: 0, endTimestamp: 0 };
      const summary = { ...event, id: `from ${startSeq}`, actions: { ...event.actions, compaction } };
      await sessions.appendEvent({ session: ref, event: summary });
    }
    const original = await stored();
    const withoutFirst = { ...original, events: original.events.slice(2) };
    const read = sessions.getSession.bind(sessions);
    const getSession: typeof read = async (p) => (p.sessionId === 's' ? withoutFirst : read(p));
    Object.assign(sessions, { getSession });
    const { events } = await runner.fork({ ...ref, newSessionId: 'copy' });
    const ranges = events.slice(-2).map(({ actions }) => actions.compaction);
    expect(ranges).toMatchObject([
      { startSeq: 1, endSeq: 2 },
      { startSeq: 2, endSeq: 2 },
    ]);
  });

  it('throws for a service that cannot fork, and for files without an artifactService', async () => {
    const { runner, sessions } = await createNotes('one');
    const withoutFiles = await createSetup(rootOf(new ScriptedLlm()), {
      ...{ sessionService: sessions, artifactService: undefined },
    });
    await expect(withoutFiles.runner.fork(ref)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_CONFIGURED' });
    Object.assign(sessions, { insertSession: undefined });
    await expect(runner.fork(ref)).rejects.toThrow('does not have insertSession()');
  });

  it('keeps the files of a session that another request has created with the same id', async () => {
    const { artifacts, runner, sessions } = await createNotes('one');
    const insert = sessions.insertSession.bind(sessions);
    Object.assign(sessions, {
      insertSession: async (p: Parameters<typeof insert>[0]) => {
        await insert(p);
        return insert(p);
      },
    });
    const forking = runner.fork({ ...ref, newSessionId: 'copy' });
    await expect(forking).rejects.toMatchObject({ code: 'SESSION_ALREADY_EXISTS' });
    expect(await artifacts.listArtifactKeys(copy)).toEqual(['note.txt']);
  });

  it('answers a long-running call that has only a first note', async () => {
    const wait = toolOf('wait', () => ({ status: 'waiting' }), { isLongRunning: true });
    const { runner } = await createSetup(rootOf(new ScriptedLlm(calls('wait', {}, 'w1')), { tools: [wait] }));
    await outcomeOf(runner.runAsync(hello));
    const forked = await runner.fork(ref);
    expect(pendingInterrupts(forked.events)).toEqual([]);
    const answers = forked.events.flatMap((event) => getFunctionResponses(event)).filter(({ id }) => id === 'w1');
    expect(answers.at(-1)!.response).toEqual({ error: 'not continued in this copy' });
  });

  it.each([
    [{ beforeInvocationId: 'other' }, 'INVOCATION_NOT_FOUND'],
    [{ uptoSeq: 0 }, 'INVALID_INPUT'],
    [{ uptoSeq: 99 }, 'INVALID_INPUT'],
    [{ uptoSeq: 1, beforeInvocationId: 'other' }, 'INVALID_INPUT'],
    [{ newSessionId: 's' }, 'SESSION_ALREADY_EXISTS'],
    [{ newSessionId: '' }, 'INVALID_INPUT'],
    [{ sessionId: 'none' }, 'SESSION_NOT_FOUND'],
    [{ other: 1 }, 'INVALID_INPUT'],
  ])('rejects %j with %s and stores nothing', async (p, code) => {
    const { artifacts, runner, sessions } = await createNotes('one');
    await expect(runner.fork({ ...ref, ...p } as never)).rejects.toMatchObject({ code });
    expect((await sessions.listSessions({ appName: 'app' })).total).toBe(1);
    expect(await artifacts.listVersions({ ...ref, filename: 'note.txt' })).toEqual([0]);
  });

  it('rejects uptoSeq 0, and each uptoSeq of a session without events, with the reason', async () => {
    const { runner, sessions } = await createNotes('one');
    await expect(runner.fork({ ...ref, uptoSeq: 0 })).rejects.toThrow('uptoSeq must be an integer ≥ 1.');
    await sessions.createSession({ ...ref, appName: 'app', sessionId: 'empty' });
    await expect(runner.fork({ ...ref, sessionId: 'empty', uptoSeq: 1 })).rejects.toThrow(
      'uptoSeq must be the seq of an event of session "empty", which has no events.',
    );
  });
});
