import type { EventActions, JsonObject } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { answersIn, hello, createSetup, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

const MIB = 1024 * 1024;
const tooLarge = 'x'.repeat(9 * MIB);

describe('A tool answer that cannot be stored', () => {
  it('becomes an error answer if the result is too large, and other calls continue (contract 18)', async () => {
    const model = new ScriptedLlm(callsAll(['dump'], ['look']), ({ contents }) =>
      says(`saw ${contents.at(-1)!.parts!.length} answers`),
    );
    const tools = [toolOf('dump', () => ({ data: tooLarge })), toolOf('look', () => 'sunny')];
    const { runner, stored } = await createSetup(rootOf(model, { tools }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    const answers = Object.fromEntries(answersIn(events));
    expect(answers['look']).toEqual({ result: 'sunny' });
    expect(answers['dump']!['error']).toMatch(/^dump ran, but its result could not be stored: .*8388608 bytes.*9\d{6}/);
    expect(textsIn((await stored()).events).at(-1)).toBe('root: saw 2 answers');
  });

  it('has the start of the error text if the tool failed with a text that is too large (contract 18)', async () => {
    const tool = toolOf('dump', (_args, { state }) => {
      state.set('tried', true);
      throw new Error(`No disk. ${tooLarge}`);
    });
    const model = new ScriptedLlm(calls('dump'), says('I see.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events } = await outcomeOf(runner.runAsync(hello));
    const text = answersIn(events)[0]![1]['error'];
    expect(text).toMatch(/^No disk\. x+ \[cut: \d+ more characters\]$/);
    expect((text as string).length).toBeLessThan(11_000);
    expect((await stored()).state).toEqual({ tried: true });
  });

  it('keeps the state that the tool wrote if only the result is rejected (contract 18)', async () => {
    const tool = toolOf('dump', (_args, { state }) => (state.set('dumped', true), tooLarge));
    const model = new ScriptedLlm(calls('dump'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).state).toEqual({ dumped: true });
  });

  it('drops all state changes when one is too large, names it, and keeps artifacts (contract 18)', async () => {
    const tool = toolOf('book', async (_args, context) => {
      context.state.set('small', 1);
      context.state.set('large', 'x'.repeat(MIB));
      await context.saveArtifact('plan', { text: 'plan' });
      return 'booked';
    });
    const model = new ScriptedLlm(calls('book'), says('Done.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toMatch(
      /^book ran, but its state changes could not be stored, and none of them was kept: state\["large"\].* 1048576 bytes/,
    );
    expect((await stored()).state).toEqual({});
    expect(events.map(({ actions }) => actions.artifactDelta)).toContainEqual({ plan: 0 });
  });

  it.each<[string, (actions: EventActions) => void]>([
    ['stateDelta', (actions) => (actions.stateDelta['when'] = new Date(0) as never)],
    ['artifactDelta', (actions) => (actions.artifactDelta['plan'] = 1n as never)],
    ['another member', (actions) => (actions.agentState = { call: (() => 1) as never })],
  ])('becomes an error answer when %s of its actions is not JSON (contract 18)', async (_name, spoil) => {
    const tool = toolOf('book', (_args, { actions }) => (spoil(actions), 'booked'));
    const model = new ScriptedLlm(calls('book'), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toMatch(/^book ran, but /);
  });

  it('becomes an error answer when a result is nested too deeply for an event', async () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 98; i++) deep = { deep };
    const model = new ScriptedLlm(calls('dig'), says('Done.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('dig', () => deep)] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toMatch(/^dig ran, but its result could not be stored: result\.deep/);
  });

  it.each<[string, unknown]>([
    ['is too large', { data: tooLarge }],
    ['is not JSON', { data: new Map() }],
  ])('becomes an error answer if the result of afterToolCallback %s (contract 18)', async (_name, answer) => {
    const model = new ScriptedLlm(calls('look'), says('Done.'));
    const agent = rootOf(model, {
      tools: [toolOf('look', () => 'sunny')],
      afterToolCallback: () => answer as JsonObject,
    });
    const { runner } = await createSetup(agent);
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toMatch(/^look ran, but its result could not be stored: /);
  });

  it('does not end the turn with skipSummarization, because the model needs the error', async () => {
    const tool = toolOf('dump', (_args, { actions }) => ((actions.skipSummarization = true), tooLarge));
    const model = new ScriptedLlm(calls('dump'), says('I see.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events } = await outcomeOf(runner.runAsync(hello));
    expect(textsIn(events).at(-1)).toBe('root: I see.');
  });

  it('ends the run if the store also rejects the error answer', async () => {
    const runtime = new FixedRuntime();
    const sessionService = new InMemorySessionService({ runtime, limits: { eventBytes: 400 } });
    await sessionService.createSession(ref);
    const model = new ScriptedLlm(calls('x'.repeat(64)));
    const tool = toolOf('x'.repeat(64), () => 'y'.repeat(400));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }), { sessionService });
    const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage: 'h' }));
    expect(error).toMatchObject({ code: 'VALUE_TOO_LARGE' });
  });
});

describe('A long-running tool without an answer', () => {
  it('keeps its state, artifacts and other actions in the session (contract 18)', async () => {
    const tool = toolOf(
      'ask',
      async (_args, context) => {
        context.state.set('asked', true);
        await context.saveArtifact('form', { text: 'form' });
        context.requestConfirmation({ hint: 'Sure?' });
      },
      { isLongRunning: true },
    );
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('ask', {}, 'c1')), { tools: [tool] }));
    await outcomeOf(runner.runAsync(hello));
    const { state, events } = await stored();
    expect(state).toEqual({ asked: true });
    // The last event is the request for the confirmation.
    const { actions, content } = events.at(-2)!;
    expect(content).toBeUndefined();
    expect(actions.artifactDelta).toEqual({ form: 0 });
    expect(Object.keys(actions.requestedToolConfirmations)).toEqual(['c1']);
  });

  it('stores nothing without actions', async () => {
    const tool = toolOf('ask', () => undefined, { isLongRunning: true });
    const { runner, stored } = await createSetup(rootOf(new ScriptedLlm(calls('ask', {}, 'c1')), { tools: [tool] }));
    await outcomeOf(runner.runAsync(hello));
    expect((await stored()).events).toHaveLength(2);
  });

  it('returns an error to the model if its state changes cannot be stored', async () => {
    const tool = toolOf('ask', (_args, { state }) => state.set('large', 'x'.repeat(MIB)), { isLongRunning: true });
    const model = new ScriptedLlm(calls('ask', {}, 'c1'), says('I see.'));
    const { runner } = await createSetup(rootOf(model, { tools: [tool] }));
    const { events, error } = await outcomeOf(runner.runAsync(hello));
    expect(error).toBeUndefined();
    expect(answersIn(events)[0]![1]['error']).toMatch(/^ask ran, but its state changes could not be stored/);
    expect(textsIn(events).at(-1)).toBe('root: I see.');
  });
});
