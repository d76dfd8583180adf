import { getFunctionResponses, TholeError } from '@thole/core';
import type { RunConfig } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { LlmAgent, Runner } from '../../src/index.ts';

async function answerTo(thrown: Error, toolErrors: RunConfig['toolErrors']): Promise<unknown> {
  const tool = new FunctionTool({
    name: 'look',
    description: 'Looks.',
    execute: () => {
      throw thrown;
    },
  });
  const agent = new LlmAgent({ name: 'porter', model: new ScriptedLlm(calls('look'), says('Sorry.')), tools: [tool] });
  const runner = new Runner({
    appName: 'demo',
    agent,
    sessionService: new InMemorySessionService(),
    autoCreateSession: true,
  });
  const run = runner.runAsync({ userId: 'u', sessionId: 's', newMessage: 'Look.', runConfig: { toolErrors } });
  const events = await Array.fromAsync(run);
  return events.flatMap((event) => getFunctionResponses(event))[0]?.response;
}

describe('An error without a readable message', () => {
  it.each([
    ['throws', Object.defineProperty(new Error('x'), 'message', { get: () => JSON.parse('{') })],
    ['is not a string', Object.assign(new Error('x'), { message: undefined })],
  ])('is an answer to the model if its message %s, and the run continues (contract 18)', async (_, thrown) => {
    expect(await answerTo(thrown, undefined)).toEqual({ error: 'A value that is not an Error was thrown.' });
  });
});

describe('runConfig.toolErrors', () => {
  const secret = new Error('password hunter2 was refused');

  it('returns the message of an error to the model by default', async () => {
    expect(await answerTo(secret, undefined)).toEqual({ error: secret.message });
    expect(await answerTo(secret, 'message')).toEqual({ error: secret.message });
  });

  it('returns only that the tool failed with redacted, except for a TholeError', async () => {
    expect(await answerTo(secret, 'redacted')).toEqual({ error: 'look failed.' });
    const tholeError = new TholeError('MEMORY_NOT_CONFIGURED', 'There is no memory service.');
    expect(await answerTo(tholeError, 'redacted')).toEqual({ error: tholeError.message });
  });

  it('rejects another value with INVALID_INPUT', async () => {
    await expect(answerTo(secret, 'none' as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('An error that onToolErrorCallback answers', () => {
  it('is shown to the model, also if the tool has set skipSummarization before', async () => {
    const tool = new FunctionTool({
      name: 'look',
      description: 'Looks.',
      execute: (_args, { actions }) => {
        actions.skipSummarization = true;
        actions.escalate = true;
        throw new Error('Too dark.');
      },
    });
    const model = new ScriptedLlm(calls('look'), says('Sorry.'));
    const onToolErrorCallback = (): { hint: string } => ({ hint: 'Switch on the light.' });
    const agent = new LlmAgent({ name: 'porter', model, tools: [tool], onToolErrorCallback });
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: 'demo', agent, sessionService, autoCreateSession: true });
    const { text, events } = await runner.runToCompletion({ userId: 'u', sessionId: 's', newMessage: 'Look.' });
    expect(text).toBe('Sorry.');
    expect(events.some(({ actions }) => actions.escalate)).toBe(false);
  });
});
