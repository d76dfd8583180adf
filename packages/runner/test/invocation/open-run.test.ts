import { textOf } from '@thole/core';
import type { Content, Plugin } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

describe('The message of a run', () => {
  it('is replaced by onUserMessageCallback before anything else reads it (contract 21)', async () => {
    const model = new ScriptedLlm(says('x'));
    const seen: Content[] = [];
    const replace: Plugin = {
      name: 'p',
      onUserMessageCallback: () => ({ parts: [{ text: 'instead' }] }),
      onEventCallback: ({ invocationContext }) => void seen.push(invocationContext.userContent),
    };
    const { runner, stored } = await createSetup(rootOf(model), { plugins: [replace] });
    await runner.runToCompletion(hello);
    const instead = { role: 'user', parts: [{ text: 'instead' }] };
    expect(seen).toEqual([instead, instead]);
    expect(model.requests[0]!.contents).toEqual([instead]);
    expect(textsIn((await stored()).events)[0]).toBe('user: instead');
  });

  it('has a line of text for each file with saveInputBlobsAsArtifacts', async () => {
    const model = new ScriptedLlm(says('Seen.'));
    const seen: Content[] = [];
    const listen: Plugin = {
      name: 'p',
      onEventCallback: ({ event, invocationContext }) =>
        void (event.author === 'user' && seen.push(invocationContext.userContent)),
    };
    const { runner, artifacts, stored } = await createSetup(rootOf(model), { plugins: [listen] });
    const file = (displayName?: string) => ({ inlineData: { mimeType: 'image/png', data: 'AAAA', displayName } });
    const newMessage = { parts: [{ text: 'Look.' }, file('view.png'), file()] };
    await runner.runToCompletion({ ...hello, newMessage, runConfig: { saveInputBlobsAsArtifacts: true } });
    const [first] = (await stored()).events;
    const names = ['view.png', `upload-${first!.invocationId}-2`];
    const lines = names.map(
      (name) => `[The user uploaded the file "${name}". It is saved as an artifact with this name.]`,
    );
    const message = { role: 'user', parts: ['Look.', ...lines].map((text) => ({ text })) };
    expect([first!.content, seen[0], model.requests[0]!.contents[0]]).toEqual([message, message, message]);
    expect(first!.actions.artifactDelta).toEqual(Object.fromEntries(names.map((name) => [name, 0])));
    const saved = await artifacts.loadArtifact({ ...ref, filename: 'view.png' });
    expect(saved?.inlineData?.data).toBe('AAAA');
  });

  it('saves files of a message that have the same name under different names', async () => {
    const { runner, artifacts } = await createSetup(rootOf(new ScriptedLlm(says('Nice.'))));
    const file = (data: string, displayName: string) => ({ inlineData: { mimeType: 'image/png', data, displayName } });
    const parts = [file('AAAA', 'me.png'), file('BBBB', 'me.png'), file('CCCC', 'me-2.png'), file('DDDD', 'me.png')];
    await runner.runToCompletion({ ...hello, newMessage: { parts }, runConfig: { saveInputBlobsAsArtifacts: true } });
    for (const [filename, data] of Object.entries({
      'me.png': 'AAAA',
      'me-2.png': 'BBBB',
      'me-2-2.png': 'CCCC',
      'me-3.png': 'DDDD',
    }))
      expect((await artifacts.loadArtifact({ ...ref, filename }))?.inlineData?.data).toBe(data);
  });

  it.each([
    ['is empty', ''],
    ['is too long', 'ä'.repeat(300)],
    ['is too long with user:', `user:${'a'.repeat(510)}`],
    ['contains NUL', 'a\0b'],
    ['is only the prefix user:', 'user:'],
  ])('saves a file under a generated name if its display name %s', async (_, displayName) => {
    const { runner, artifacts, stored } = await createSetup(rootOf(new ScriptedLlm(says('Seen.'))));
    const newMessage = { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA', displayName } }] };
    await runner.runToCompletion({ ...hello, newMessage, runConfig: { saveInputBlobsAsArtifacts: true } });
    const filename = `upload-${(await stored()).events[0]!.invocationId}-0`;
    expect(await artifacts.listArtifactKeys(ref)).toEqual([filename]);
  });
});

describe('An agent', () => {
  it('may be frozen and serve two concurrent runs, each with its own history (contract 24)', async () => {
    const model = new ScriptedLlm(calls('look'), calls('look'), says('x'), says('x'));
    const agent = Object.freeze(
      rootOf(model, { tools: [Object.freeze(toolOf('look', () => 1))], instruction: 'Help.' }),
    );
    const { runner, sessions } = await createSetup(agent);
    await sessions.createSession({ ...ref, sessionId: 'other' });
    const both = ['s', 'other'].map((sessionId) =>
      runner.runToCompletion({ ...hello, sessionId, newMessage: sessionId }),
    );
    expect((await Promise.all(both)).map(({ text }) => text)).toEqual(['x', 'x']);
    expect(model.requests.map(({ contents }) => textOf(contents[0])).toSorted()).toEqual(['other', 'other', 's', 's']);
  });
});
