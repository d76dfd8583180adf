import { createEvent, textOf } from '@thole/core';
import type { Content } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, ref, rootOf, toolOf } from '../support/llm-setup.ts';

const contentOf = (text: string): Content => ({ role: 'model', parts: [{ text }] });

describe('The prompt', () => {
  const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
  const summary = (startSeq: number, endSeq: number, eventIds: string[]) => ({
    startSeq,
    endSeq,
    eventIds,
    startTimestamp: 0,
    endTimestamp: 0,
    compactedContent: contentOf('They talked of rooms.'),
  });

  it('leaves out rewound invocations of a cached session (contract 27)', async () => {
    const model = new ScriptedLlm(says('one'), says('two'), says('three'));
    const { runner, sessions } = await createSetup(rootOf(model));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    const { events } = await runner.runToCompletion({ ...hello, newMessage: 'second' });
    const session = (await sessions.getSession(ref))!;
    const rewindBeforeInvocationId = events[0]!.invocationId;
    const marker = createEvent({
      id: 'm',
      invocationId: 'i',
      author: 'user',
      timestamp: 1,
      actions: { rewindBeforeInvocationId },
    });
    await sessions.appendEvent({ session, event: marker });
    await runner.runToCompletion({ ...hello, newMessage: 'third' });
    expect(model.requests[2]!.contents.map(textOf)).toEqual(['first', 'one', 'third']);
  });

  it('contains the summary of a compaction instead of its events (contract 26)', async () => {
    const model = new ScriptedLlm(says('one'), says('two'));
    const { runner, sessions } = await createSetup(rootOf(model));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    const session = (await sessions.getSession(ref))!;
    const compaction = summary(
      1,
      2,
      session.events.map(({ id }) => id),
    ) as never;
    const event = { id: 'c', invocationId: 'i', author: 'system', timestamp: 1, actions: { ...actions, compaction } };
    await sessions.appendEvent({ session, event });
    await runner.runToCompletion({ ...hello, newMessage: 'second' });
    const texts = model.requests[1]!.contents.map(textOf);
    expect(texts.length).toBe(2);
    expect(texts[0]).toContain('They talked of rooms.');
    expect(texts[1]).toBe('second');
  });

  it('ignores rewinds and compactions that a tool writes (contract 26)', async () => {
    const forge = toolOf('forge', (_args, { actions: toolActions, history }) => {
      const ids = [...history].map(({ id }) => id);
      Object.assign(toolActions, {
        compaction: summary(1, 1, ids),
        rewindBeforeInvocationId: history.at(0)!.invocationId,
      });
    });
    const model = new ScriptedLlm(calls('forge'), says('one'), says('two'));
    const { runner } = await createSetup(rootOf(model, { tools: [forge] }));
    await runner.runToCompletion({ ...hello, newMessage: 'first' });
    await runner.runToCompletion({ ...hello, newMessage: 'second' });
    expect(textOf(model.requests[2]!.contents[0])).toBe('first');
    expect(JSON.stringify(model.requests[2])).not.toContain('talked of rooms');
  });
});
