import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { createSetup, hello, outcomeOf, ref, rootOf, textsIn } from '../support/llm-setup.ts';

describe('messageId', () => {
  it('answers a repeated message once, also for concurrent requests', async () => {
    const model = new ScriptedLlm(says('Once.'), says('Next.'));
    const { runner, stored } = await createSetup(rootOf(model));
    const request = { ...hello, messageId: 'm1' };
    const [one, two] = await Promise.all([runner.runToCompletion(request), runner.runToCompletion(request)]);
    expect([one.text, two.text]).toEqual(['Once.', 'Once.']);
    expect(two.invocationId).toBe(one.invocationId);
    expect((await stored()).events.map(({ id }) => id).filter((id) => id === 'm1')).toHaveLength(1);
    expect((await runner.runToCompletion({ ...hello, messageId: 'm2' })).text).toBe('Next.');
  });

  it('throws MESSAGE_ID_TAKEN for another text with the same id and stores nothing', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('Once.'))));
    await runner.runToCompletion({ ...hello, messageId: 'm1' });
    const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage: 'other', messageId: 'm1' }));
    expect(error?.code).toBe('MESSAGE_ID_TAKEN');
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: Once.']);
  });

  it('regenerates a message once if the request is repeated', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('One.'), says('Two.'))));
    const { invocationId } = await runner.runToCompletion({ ...hello, messageId: 'm1' });
    const request = { ...ref, invocationId, messageId: 'm2' };
    const runs = [runner.regenerate(request), runner.regenerate(request)];
    const outcomes = await Promise.all(runs.map(outcomeOf));
    expect(outcomes.map(({ error, events }) => [error, textsIn(events)])).toEqual([
      [undefined, ['root: Two.']],
      [undefined, ['root: Two.']],
    ]);
    const again = await outcomeOf(runner.regenerate({ ...request, newMessage: 'other' }));
    expect(again.error?.code).toBe('MESSAGE_ID_TAKEN');
    const texts = ['user: hello', 'root: One.', 'user: ', 'user: hello', 'root: Two.'];
    expect(textsIn((await stored()).events)).toEqual(texts);
  });

  it('throws MESSAGE_ID_TAKEN if the message to regenerate has the same id, and stores nothing', async () => {
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(says('One.'))));
    const { invocationId } = await runner.runToCompletion({ ...hello, messageId: 'm1' });
    const { error } = await outcomeOf(runner.regenerate({ ...ref, invocationId, messageId: 'm1' }));
    expect(error?.code).toBe('MESSAGE_ID_TAKEN');
    expect(textsIn((await stored()).events)).toEqual(['user: hello', 'root: One.']);
  });
});
