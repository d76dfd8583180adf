import { isFinalResponse, TholeError } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { modelNamed, says, ScriptedLlm, thinks } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const key = { appName: 'state_app', userId: 'user1', sessionId: 'session1' };
const { appName, userId, sessionId } = key;

const greeter = (): LlmAgent =>
  new LlmAgent({
    name: 'Greeter',
    model: 'gemini-2.0-flash',
    instruction: 'Generate a short, friendly greeting.',
    outputKey: 'last_greeting',
  });

// F340, with F045 and F010.
describe('example: an agent whose answer is stored under an output key', () => {
  it('stores the greeting in state before the run yields it (contracts 16, 20)', async () => {
    const model = new ScriptedLlm(says('Hello there! How can I help you today?'));
    const sessionService = new InMemorySessionService();
    const models = [modelNamed('gemini-2.0-flash', model)];
    const runner = new Runner({ appName, agent: greeter(), sessionService, models });
    const session = await sessionService.createSession(key);
    expect(session.state).toEqual({});

    const finals: string[] = [];
    const newMessage = { parts: [{ text: 'Hello' }] };
    for await (const event of runner.runAsync({ userId, sessionId, newMessage })) {
      if (!isFinalResponse(event)) continue;
      finals.push(event.author);
      expect(event.actions.stateDelta).toEqual({ last_greeting: 'Hello there! How can I help you today?' });
      expect((await sessionService.getSession(key))?.state['last_greeting']).toBeDefined();
    }

    expect(finals).toEqual(['Greeter']);
    expect((await sessionService.getSession(key))?.state).toEqual({
      last_greeting: 'Hello there! How can I help you today?',
    });
    expect(model.requests[0]?.config.systemInstruction).toContain('Generate a short, friendly greeting.');
    model.assertDone();
  });

  it('leaves thoughts out of the stored value (contract 20)', async () => {
    const models = [modelNamed('gemini-2.0-flash', new ScriptedLlm(thinks('A short one will do.', 'Hi!')))];
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName, agent: greeter(), sessionService, models, autoCreateSession: true });
    await runner.runToCompletion({ userId, sessionId, newMessage: 'Hello' });
    expect((await sessionService.getSession(key))?.state).toEqual({ last_greeting: 'Hi!' });
  });

  it('rejects an unknown model name when the runner is created', () => {
    const sessionService = new InMemorySessionService();
    let error: unknown;
    try {
      new Runner({ appName, agent: greeter(), sessionService });
    } catch (thrown) {
      error = thrown;
    }
    expect(TholeError.is(error, 'MODEL_UNKNOWN')).toBe(true);
    expect(String(error)).toContain('gemini-2.0-flash');
  });
});
