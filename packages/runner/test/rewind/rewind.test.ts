import { createEvent, getFunctionCalls, pendingInterrupts } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import type { Event, Plugin, Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Runner } from '../../src/runner/runner.ts';
import type { RunnerOptions } from '../../src/runner/runner-options.ts';
import { createDurableStore, runAndClose } from '../support/durable-store.ts';
import { createSetup, hello, outcomeOf, ref, rootOf, toolOf } from '../support/llm-setup.ts';
import type { LlmTestSetup } from '../support/llm-setup.ts';

const save = toolOf('save', async (args, context) => {
  const text = args['text'] as string;
  context.state.set('note', text);
  await context.saveArtifact('note.txt', { text: text });
  return 'saved';
});

/** Creates a session with one invocation for each text. Each saves the text as state and as a file. */
async function createNotes(
  texts: string[],
  p: { more?: Parameters<typeof says>[0][]; options?: Partial<RunnerOptions> } = {},
): Promise<LlmTestSetup & { invocations: string[]; model: ScriptedLlm }> {
  const answers = texts.flatMap((text) => [calls('save', { text }), says(`Saved ${text}.`)]);
  const model = new ScriptedLlm(...answers, ...(p.more ?? []).map((text) => says(text)));
  const setup = await createSetup(rootOf(model, { tools: [save] }), p.options, { note: 'initial', kept: 1 });
  const invocations: string[] = [];
  for (const text of texts)
    invocations.push((await setup.runner.runToCompletion({ ...hello, newMessage: text })).invocationId);
  return { ...setup, invocations, model };
}

const loadNote = async ({ artifacts }: LlmTestSetup): Promise<unknown> =>
  artifacts.loadArtifact({ ...ref, filename: 'note.txt' });

const lastRequest = ({ requests }: ScriptedLlm): string => JSON.stringify(requests.at(-1)!.contents);

describe('Runner.rewind', () => {
  it('restores state and files, and hides the invocation from the model', async () => {
    const setup = await createNotes(['one', 'two'], { more: ['Fine.'] });
    const { invocations, model, runner, stored } = setup;
    const marker = await runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[1]! });
    expect(marker).toMatchObject({ author: 'user', actions: { rewindBeforeInvocationId: invocations[1] } });
    expect(marker.actions).toMatchObject({ stateDelta: { note: 'one' }, artifactDelta: { 'note.txt': 2 } });
    expect((await stored()).state).toEqual({ note: 'one', kept: 1 });
    expect(await loadNote(setup)).toMatchObject({ text: 'one' });
    await runner.runToCompletion({ ...hello, newMessage: 'three' });
    expect(lastRequest(model)).toContain('one');
    expect(lastRequest(model)).not.toContain('two');
  });

  it('restores the initial state, and empties files that did not exist', async () => {
    const setup = await createNotes(['one', 'two']);
    await setup.runner.rewind({ ...ref, rewindBeforeInvocationId: setup.invocations[0]! });
    expect((await setup.stored()).state).toEqual({ note: 'initial', kept: 1 });
    expect(await loadNote(setup)).toEqual({ inlineData: { mimeType: 'application/octet-stream', data: '' } });
  });

  it('keeps the display name of the session (contract 27)', async () => {
    const { invocations, runner, sessions, stored } = await createNotes(['one']);
    const rename = (displayName: string): Promise<unknown> => {
      const actions = { stateDelta: { __session_metadata__: { displayName } } };
      return sessions.appendEvent({ session: ref, event: createEvent({ author: 'user', invocationId: 'n', actions }) });
    };
    await rename('Notes');
    await runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[0]! });
    expect((await stored()).state).toEqual({
      note: 'initial',
      kept: 1,
      __session_metadata__: { displayName: 'Notes' },
    });
  });

  it('also empties a file that the message of the invocation has saved', async () => {
    const plugin: Plugin = {
      name: 'save',
      onUserMessageCallback: async ({ invocationContext }) => {
        await invocationContext.saveArtifact('note.txt', { text: 'sent' });
        return undefined;
      },
    };
    const setup = await createNotes([], { more: ['Fine.'], options: { plugins: [plugin] } });
    const { runner, stored } = setup;
    const { invocationId } = await runner.runToCompletion(hello);
    expect((await stored()).events[0]!.actions.artifactDelta).toEqual({ 'note.txt': 0 });
    await runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId });
    expect(await loadNote(setup)).toMatchObject({ inlineData: { data: '' } });
  });

  it('rejects a rewind that needs a missing service, and stores nothing', async () => {
    const { invocations, sessions, stored } = await createNotes(['one']);
    const before = (await stored()).lastSeq;
    const rewound = { ...ref, rewindBeforeInvocationId: invocations[0]! };
    const withServices = async (options: Partial<RunnerOptions>): Promise<Runner> =>
      (await createSetup(rootOf(new ScriptedLlm()), { sessionService: sessions, ...options })).runner;
    const withoutFiles = await withServices({ artifactService: undefined });
    await expect(withoutFiles.rewind(rewound)).rejects.toMatchObject({ code: 'ARTIFACT_NOT_CONFIGURED' });
    const memoryService = Object.assign(new InMemoryMemoryService(), { deleteMemory: undefined as never });
    const withMemory = await withServices({ memoryService });
    await expect(withMemory.rewind(rewound)).rejects.toThrow('does not have deleteMemory(). Set keepMemory');
    expect((await stored()).lastSeq).toBe(before);
  });

  it('fails with PLUGIN_FAILED if a plugin drops its marker', async () => {
    const plugin: Plugin = {
      name: 'drop',
      onEventCallback: ({ event }) => (event.actions.rewindBeforeInvocationId === undefined ? undefined : null),
    };
    const { invocations, runner, stored } = await createNotes(['one'], { options: { plugins: [plugin] } });
    const rewinding = runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[0]! });
    await expect(rewinding).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
    expect((await stored()).state).toMatchObject({ note: 'one' });
  });

  it('rejects unknown and rewound invocations, and stores nothing', async () => {
    const { invocations, runner, stored } = await createNotes(['one', 'two']);
    const before = (await stored()).lastSeq;
    const unknown = runner.rewind({ ...ref, rewindBeforeInvocationId: 'other' });
    await expect(unknown).rejects.toMatchObject({ code: 'INVOCATION_NOT_FOUND' });
    expect((await stored()).lastSeq).toBe(before);
    await runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[0]! });
    const rewound = runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[1]! });
    await expect(rewound).rejects.toMatchObject({ code: 'INVOCATION_NOT_FOUND' });
    expect((await stored()).lastSeq).toBe(before + 1);
  });

  it.each([{ rewindBeforeInvocationId: '' }, { rewindBeforeInvocationId: 'a', keepMemory: 1 }, { other: 1 }])(
    'rejects invalid arguments: %j',
    async (p) => {
      const { runner } = await createNotes([]);
      await expect(runner.rewind({ ...ref, ...p } as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    },
  );

  it('closes the interrupts that it removes, and updates the marks of the session', async () => {
    const pay = toolOf('pay', () => 'paid', { requireConfirmation: true });
    const model = new ScriptedLlm(calls('pay'), says('Fine.'));
    const { runner, runtime, sessions, stored } = await createSetup(rootOf(model, { tools: [pay] }));
    const { interrupts, invocationId } = await runner.runToCompletion(hello);
    expect((await stored()).marks).toMatchObject({ openInterrupts: 1 });
    await runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId });
    const session: Session = await stored();
    expect(pendingInterrupts(session.events)).toEqual([]);
    expect(session.marks).toEqual({ unfinished: null, wakeAt: null, openInterrupts: 0 });
    expect((await sessions.listWaitingSessions({ appName: 'app', kind: 'interrupts' })).sessions).toEqual([]);
    // Another process loads the session with the marker.
    const other = await createSetup(rootOf(new ScriptedLlm(), { tools: [pay] }), { sessionService: sessions, runtime });
    const { id } = interrupts[0]!;
    for (const each of [runner, other.runner])
      for (const at of [{}, { invocationId }]) {
        const { error: removed } = await outcomeOf(each.resume({ ...ref, ...at, answers: { [id]: true } }));
        const message = `Interrupt "${id}" was removed by a rewind of session "${ref.sessionId}".`;
        expect(removed).toMatchObject({ code: 'INTERRUPT_NOT_FOUND', message });
        const { error } = await outcomeOf(each.resume({ ...ref, invocationId }));
        expect(error).toMatchObject({
          code: 'INVOCATION_NOT_FOUND',
          message: `Invocation "${invocationId}" was removed by a rewind of session "${ref.sessionId}".`,
        });
      }
    expect((await runner.runToCompletion(hello)).text).toBe('Fine.');
  });

  it('rejects a rewind that splits a call, and names an invocation that works', async () => {
    const wait = toolOf('wait', () => ({ status: 'waiting' }), { isLongRunning: true });
    const model = new ScriptedLlm(calls('wait', {}, 'w1'), says('Waiting.'), says('Hi.'), says('It is done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [wait] }));
    const first = await runner.runToCompletion(hello);
    const answer = { id: 'w1', name: 'wait', response: { done: true } };
    const second = await runner.runToCompletion({ ...hello, newMessage: 'hi' });
    await runner.sessionService.appendEvent({
      session: ref,
      event: {
        ...{
          id: 'late',
          invocationId: 'late',
          author: 'user',
          timestamp: 1,
          actions: (await stored()).events[0]!.actions,
        },
        content: { role: 'user', parts: [{ functionResponse: answer }] },
      },
    });
    const before = (await stored()).lastSeq;
    const split = runner.rewind({ ...ref, rewindBeforeInvocationId: second.invocationId });
    await expect(split).rejects.toMatchObject({
      code: 'REWIND_SPLITS_CALL',
      details: { invocationId: first.invocationId },
    });
    expect((await stored()).lastSeq).toBe(before);
    await runner.rewind({ ...ref, rewindBeforeInvocationId: first.invocationId });
  });

  it('rejects a rewind that removes the start of a tool but not its call (contract 27)', async () => {
    const { invocations, runner, stored } = await createNotes(['one', 'two']);
    const { events } = await stored();
    const call = events.find((event) => getFunctionCalls(event).length > 0)!;
    const toolStarted = { callId: getFunctionCalls(call)[0]!.id!, attempt: 0 };
    const event = createEvent({ author: 'root', invocationId: invocations[0]!, customMetadata: { toolStarted } });
    await runner.sessionService.appendEvent({ session: ref, event });
    const split = runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[1]! });
    await expect(split).rejects.toMatchObject({
      code: 'REWIND_SPLITS_CALL',
      details: { invocationId: invocations[0] },
    });
  });

  it('removes the mark of an unfinished invocation, which is then not recovered', async () => {
    const { events, runnerOf } = await createDurableStore();
    await runAndClose(runnerOf(rootOf(new ScriptedLlm(() => new Promise(() => {})))));
    const runner = runnerOf(rootOf(new ScriptedLlm()));
    const [{ invocationId }] = (await events()) as [Event];
    await runner.rewind({ ...ref, rewindBeforeInvocationId: invocationId });
    expect(await Array.fromAsync(runner.recover())).toEqual([]);
  });

  it('deletes the memory of removed events, and keeps it with keepMemory', async () => {
    for (const keepMemory of [false, true]) {
      const memoryService = new InMemoryMemoryService();
      const { invocations, runner, stored } = await createNotes(['one', 'two'], { options: { memoryService } });
      await memoryService.addSessionToMemory(await stored());
      await runner.rewind({ ...ref, rewindBeforeInvocationId: invocations[1]!, keepMemory });
      const { memories } = await memoryService.searchMemory({ appName: 'app', userId: 'ann', query: 'two' });
      expect(JSON.stringify(memories).includes('two')).toBe(keepMemory);
    }
  });
});

describe('Runner.regenerate', () => {
  it('answers the same message again, in one run', async () => {
    const { invocations, model, runner, stored } = await createNotes(['one', 'two'], { more: ['Better.'] });
    const run = runner.regenerate({ ...ref, invocationId: invocations[1]! });
    const { error } = await outcomeOf(run);
    expect([error, (await run.result).status]).toEqual([undefined, 'completed']);
    expect(model.requests.at(-1)!.contents.at(-1)).toEqual({ role: 'user', parts: [{ text: 'two' }] });
    expect(lastRequest(model).match(/two/g)).toHaveLength(1);
    const [marker, message, answer] = (await stored()).events.slice(-3);
    expect(marker!.actions.rewindBeforeInvocationId).toBe(invocations[1]);
    expect([message!.author, answer!.content?.parts]).toEqual(['user', [{ text: 'Better.' }]]);
  });

  it('sets the state of the message again, except state of the user and the app', async () => {
    const { runner, stored } = await createNotes([], { more: ['One.', 'Two.'] });
    const stateDelta = { seen: 1, 'user:seen': 1, 'app:seen': 1 };
    const { invocationId } = await runner.runToCompletion({ ...hello, stateDelta });
    await runner.updateState({ ...ref, stateDelta: { seen: 2, 'user:seen': 2, 'app:seen': 2 } });
    await outcomeOf(runner.regenerate({ ...ref, invocationId }));
    expect((await stored()).state).toMatchObject({ seen: 1, 'user:seen': 2, 'app:seen': 2 });
  });

  it('answers another message instead', async () => {
    const { invocations, model, runner } = await createNotes(['one', 'two'], { more: ['Better.'] });
    await outcomeOf(runner.regenerate({ ...ref, invocationId: invocations[1]!, newMessage: 'three' }));
    expect(model.requests.at(-1)!.contents.at(-1)).toEqual({ role: 'user', parts: [{ text: 'three' }] });
    expect(lastRequest(model)).not.toContain('two');
  });

  it('leaves out the first answer if the second is regenerated or rewound, too (contract 27)', async () => {
    const setup = await createNotes(['one', 'two'], { more: ['Better.', 'Best.', 'Fine.'] });
    const { invocations, model, runner, stored } = setup;
    const again = runner.regenerate({ ...ref, invocationId: invocations[1]! });
    await outcomeOf(again);
    const best = runner.regenerate({ ...ref, invocationId: again.invocationId });
    expect((await outcomeOf(best)).error).toBeUndefined();
    expect(lastRequest(model).match(/two/g)).toHaveLength(1);
    expect(lastRequest(model)).not.toMatch(/Saved two|Better/);
    expect((await stored()).state).toEqual({ note: 'one', kept: 1 });
    const copy = await runner.fork({ ...ref, beforeInvocationId: best.invocationId });
    expect(JSON.stringify(applyRewinds(copy.events))).not.toContain('two');
    await runner.rewind({ ...ref, rewindBeforeInvocationId: best.invocationId });
    await runner.runToCompletion({ ...hello, newMessage: 'three' });
    expect(lastRequest(model)).not.toContain('two');
    expect(await loadNote(setup)).toMatchObject({ text: 'one' });
  });

  it('rejects an invocation without a message, and a message with function responses', async () => {
    const { runner, stored } = await createNotes(['one']);
    const own = createEvent({
      author: 'root',
      invocationId: 'own',
      content: { role: 'model', parts: [{ text: 'Hi' }] },
    });
    await runner.sessionService.appendEvent({ session: ref, event: own });
    const before = (await stored()).lastSeq;
    const functionResponse = { id: 'c1', name: 'save', response: {} };
    for (const [newMessage, messagePart] of [
      [undefined, 'has no message. Pass newMessage.'],
      [{ role: 'user', parts: [{ functionResponse }] }, 'must not contain function responses'],
    ] as const) {
      const { error } = await outcomeOf(
        runner.regenerate({ ...ref, invocationId: 'own', newMessage: newMessage as never }),
      );
      expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(messagePart) });
    }
    expect((await stored()).lastSeq).toBe(before);
  });

  it('throws INVOCATION_NOT_FOUND for an unknown invocation and stores nothing', async () => {
    const { runner, stored } = await createNotes(['one']);
    const before = (await stored()).lastSeq;
    const { error } = await outcomeOf(runner.regenerate({ ...ref, invocationId: 'other' }));
    expect([error?.code, (await stored()).lastSeq]).toEqual(['INVOCATION_NOT_FOUND', before]);
  });
});
