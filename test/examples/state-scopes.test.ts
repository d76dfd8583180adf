import { createEvent } from '@thole/core';
import { scopeOf } from '@thole/core/kit';
import type { StateMap } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';

const key = { appName: 'travel', userId: 'ann', sessionId: 'today' };

/** Writes state in one session. Returns the state of this session, and of new sessions of the user, another user and another app. */
async function statesAfterWrite(state: StateMap): Promise<{ [place: string]: StateMap | undefined }> {
  const service = new InMemorySessionService();
  const session = await service.createSession(key);
  await service.appendEvent({ session, event: createEvent({ author: 'system', actions: { stateDelta: state } }) });
  const tomorrow = await service.createSession({ ...key, sessionId: 'tomorrow' });
  const otherUser = await service.createSession({ ...key, userId: 'bob' });
  const otherApp = await service.createSession({ ...key, appName: 'cooking' });
  const today = await service.getSession(key);
  return { today: today?.state, tomorrow: tomorrow.state, otherUser: otherUser.state, otherApp: otherApp.state };
}

// F343, with F027–F031, F036–F038.
describe('example: state in four scopes', () => {
  it('shows a key in the scope of its prefix (contract 3)', async () => {
    const session = { current_intent: 'book_flight', current_booking_step: 'confirm_payment' };
    const user = { 'user:theme': 'dark', 'user:name': 'Ann', 'user:preferred_language': 'fr' };
    const app = { 'app:api_endpoint': 'https://api.example', 'app:global_discount_code': 'SAVE10' };
    const temp = { 'temp:raw_api_response': { status: 200 } };
    expect(await statesAfterWrite({ ...session, ...user, ...app, ...temp })).toEqual({
      today: { ...session, ...user, ...app },
      tomorrow: { ...user, ...app },
      otherUser: app,
      otherApp: {},
    });
  });

  it('keeps `temp:` values until the end of the invocation (contract 4)', async () => {
    const seen: unknown[] = [];
    const look = new FunctionTool({
      name: 'look',
      description: 'Looks at the raw response.',
      execute: (_args, { state }) => {
        seen.push(state.get('temp:raw_api_response'));
        state.set('temp:raw_api_response', 'from the tool');
        return 'looked';
      },
    });
    const model = new ScriptedLlm(calls('look'), calls('look'), says('Done.'), calls('look'), says('Done.'));
    const agent = new LlmAgent({ name: 'guide', model, tools: [look] });
    const sessionService = new InMemorySessionService();
    const runner = new Runner({ appName: key.appName, agent, sessionService, autoCreateSession: true });
    const run = { userId: key.userId, sessionId: key.sessionId, newMessage: 'Look twice.' };
    await runner.runToCompletion({
      ...run,
      stateDelta: { 'temp:raw_api_response': 'from the caller', seen_by: 'all' },
    });
    await runner.runToCompletion(run);
    expect(seen).toEqual(['from the caller', 'from the tool', undefined]);
    const stored = await sessionService.getSession(key);
    expect(stored?.state).toEqual({ seen_by: 'all' });
    expect(stored?.events.flatMap((event) => Object.keys(event.actions.stateDelta))).toEqual(['seen_by']);
  });

  it('fills in keys of any scope in an instruction', async () => {
    const model = new ScriptedLlm(says('Bonjour Ann.'));
    const instruction = 'Speak {user:preferred_language} to {user:name}. Step: {current_booking_step}.{note?}';
    const sessionService = new InMemorySessionService();
    await sessionService.createSession({
      ...key,
      state: { 'user:preferred_language': 'fr', 'user:name': 'Ann', current_booking_step: 'confirm_payment' },
    });
    const runner = new Runner({
      appName: key.appName,
      agent: new LlmAgent({ name: 'guide', model, instruction }),
      sessionService,
    });
    await runner.runToCompletion({ userId: key.userId, sessionId: key.sessionId, newMessage: 'Hello' });
    expect(model.requests[0]?.config.systemInstruction).toContain('Speak fr to Ann. Step: confirm_payment.');
  });
});

// F344, with F032.
describe('example: keys with dots', () => {
  const state = {
    user_preference_theme: 'dark',
    booking_step: 'confirm_payment',
    shopping_cart_items: ['book', 'pen'],
    user_is_authenticated: true,
    'calendar.last_viewed_date': '2026-05-01',
    'agent.current_task': 'booking',
    'user.preferred_language': 'fr',
  };

  it('belong to the session: a dot is not a scope (contract 3)', async () => {
    expect(Object.keys(state).map(scopeOf)).toEqual(Object.keys(state).map(() => 'session'));
    expect(await statesAfterWrite(state)).toEqual({ today: state, tomorrow: {}, otherUser: {}, otherApp: {} });
  });

  it('can be deleted with null like any other (contract 6)', async () => {
    const service = new InMemorySessionService();
    await service.createSession({ ...key, state });
    await service.updateState({ ...key, stateDelta: { 'agent.current_task': null, booking_step: 'done' } });
    const { 'agent.current_task': _, ...rest } = state;
    expect((await service.getSession(key))?.state).toEqual({ ...rest, booking_step: 'done' });
  });
});
