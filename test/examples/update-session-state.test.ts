import { TholeError } from '@thole/core';
import type { Plugin } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const key = { appName: 'app', userId: 'ann', sessionId: 's' };
const stateDelta = { key1: 'new_value1', key2: 'new_value2' };

// F041.
describe('example: updating state through the session service', () => {
  it('stores the update as a separate event of `system` (contract 12)', async () => {
    const service = new InMemorySessionService();
    await service.createSession({ ...key, state: { key1: 'old', key3: 'kept' } });
    const event = await service.updateState({ ...key, stateDelta });
    expect(event).toMatchObject({ seq: 1, author: 'system', actions: { stateDelta } });
    const read = await service.getSession(key);
    expect(read?.state).toEqual({ ...stateDelta, key3: 'kept' });
    expect(read?.events).toEqual([event]);
  });

  it('needs app, user and session id (contract 1)', async () => {
    const service = new InMemorySessionService();
    await service.createSession(key);
    const update = { ...key, userId: 'bob', stateDelta };
    const error = await service.updateState(update).catch((thrown: unknown) => thrown);
    expect(TholeError.is(error, 'SESSION_NOT_FOUND')).toBe(true);
  });
});

// F042.
describe('example: updating state through the runner', () => {
  it('calls plugins with the event and shows the values in the next turn (contracts 12, 16)', async () => {
    const received: string[] = [];
    const listener: Plugin = {
      name: 'listener',
      onEventCallback: ({ event }) =>
        void received.push(`${event.author}: ${Object.keys(event.actions.stateDelta).join()}`),
    };
    const model = new ScriptedLlm(says('Yes.'));
    const sessionService = new InMemorySessionService();
    await sessionService.createSession(key);
    const agent = new LlmAgent({ name: 'reader', model, instruction: 'They are {key1} and {key2}.' });
    const runner = new Runner({ appName: 'app', agent, sessionService, plugins: [listener] });

    const event = await runner.updateSessionState({ userId: 'ann', sessionId: 's', stateDelta });
    expect(event.actions.stateDelta).toEqual(stateDelta);
    expect(received).toEqual(['system: key1,key2']);

    await runner.runToCompletion({ userId: 'ann', sessionId: 's', newMessage: 'Are they?' });
    expect(model.requests[0]?.config.systemInstruction).toContain('They are new_value1 and new_value2.');
  });
});
