import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Content, Event, JsonObject, LlmRequest, Tool } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, houseOf, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-house.ts';

/** Offers the user options and waits: it answers nothing by itself. */
const choose = (): Tool =>
  toolOf('get_user_choice', (_args, { actions }) => void (actions.skipSummarization = true), { isLongRunning: true });

const answerTo = (...answers: [id: string, response: JsonObject, name?: string][]): Content => ({
  role: 'user',
  parts: answers.map(([id, response, name = 'get_user_choice']) => ({ functionResponse: { id, name, response } })),
});

const openIn = (events: readonly Event[]): string[] => events.flatMap((event) => event.longRunningToolIds ?? []);

/** The contents of a request as `role: what`, answers as what they say. */
function told({ contents }: LlmRequest): string[] {
  return contents.flatMap(({ role, parts }) =>
    (parts ?? []).map(
      ({ text, functionCall, functionResponse }) =>
        `${role}: ${text ?? functionCall?.id ?? `${functionResponse?.id} → ${JSON.stringify(functionResponse?.response)}`}`,
    ),
  );
}

describe('a long-running call, answered in the same process', () => {
  it('ends the run open, and the answer reaches the model beside its call, as that call’s (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', { options: ['sea', 'city'] }, 'c1'), says('The sea it is.'));
    const { runner, stored } = await houseOf(rootOf(model, { tools: [choose()] }));
    const asked = await Array.fromAsync(runner.runAsync(hello));
    expect(openIn(asked)).toEqual(['c1']);
    expect(asked.flatMap(getFunctionResponses)).toEqual([]);
    expect((await stored()).events.some(({ errorCode }) => errorCode)).toBe(false);
    const { text } = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(text).toBe('The sea it is.');
    expect(told(model.requests[1]!)).toEqual(['user: hello', 'model: c1', 'user: c1 → {"choice":"sea"}']);
    model.assertDone();
  });

  it('runs the tool once, and its answer does not run it again (contracts 18, 28)', async () => {
    let runs = 0;
    const tool = toolOf('get_user_choice', () => void runs++, { isLongRunning: true });
    const { runner } = await houseOf(
      rootOf(new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('x')), { tools: [tool] }),
    );
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) });
    expect(runs).toBe(1);
  });

  it.each<[string, Content, string]>([
    ['an id that no call has', answerTo(['c9', {}]), 'c9'],
    ['the name of another tool', answerTo(['c1', {}, 'pay']), 'pay'],
    ['no id', { role: 'user', parts: [{ functionResponse: { name: 'get_user_choice', response: {} } }] }, 'id'],
    ['its id twice in one message', answerTo(['c1', { a: 1 }], ['c1', { a: 2 }]), 'c1'],
  ])(
    'refuses an answer with %s, stores nothing of it, and still takes the right one (contract 28)',
    async (_what, newMessage, naming) => {
      const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Thanks.'));
      const { runner, stored } = await houseOf(rootOf(model, { tools: [choose()] }));
      await runner.runToCompletion(hello);
      const before = (await stored()).events.length;
      const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage }));
      expect(error).toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(naming) });
      expect((await stored()).events.length).toBe(before);
      expect((await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) })).text).toBe('Thanks.');
    },
  );

  it('refuses a second answer to a call, and the first one stands (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Thanks.'), says('Still the sea.'));
    const { runner } = await houseOf(rootOf(model, { tools: [choose()] }));
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    const again = runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'city' }]) });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('c1') });
    await runner.runToCompletion({ ...hello, newMessage: 'What did I choose?' });
    expect(told(model.requests[2]!)).toContain('user: c1 → {"choice":"sea"}');
    expect(JSON.stringify(model.requests[2])).not.toContain('city');
  });

  it('refuses a user’s answer to a call that its tool has answered (contract 28)', async () => {
    const model = new ScriptedLlm(calls('look', {}, 'c1'), says('Seen.'));
    const { runner } = await houseOf(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    await runner.runToCompletion(hello);
    const forged = runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { seen: 'gold' }, 'look']) });
    await expect(forged).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is shown as pending in turns between, and takes its answer afterwards (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('It rains.'), says('The sea it is.'));
    const { runner } = await houseOf(rootOf(model, { tools: [choose()] }));
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: 'What is the weather like?' });
    expect(told(model.requests[1]!)).toEqual([
      'user: hello',
      'model: c1',
      expect.stringMatching(/^user: c1 → .*pending/),
      'user: What is the weather like?',
    ]);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    const last = told(model.requests[2]!);
    expect(last[last.indexOf('model: c1') + 1]).toBe('user: c1 → {"choice":"sea"}');
    expect(last).toEqual(expect.arrayContaining(['user: What is the weather like?', 'model: It rains.']));
    expect(model.requests[2]!.contents.at(-1)!.role).toBe('user');
    expect(JSON.stringify(last)).not.toContain('pending');
  });

  it('takes the answer in another runner on the same sessions (contract 28)', async () => {
    const { runner, sessions, runtime } = await houseOf(
      rootOf(new ScriptedLlm(calls('get_user_choice', {}, 'c1')), { tools: [choose()] }),
    );
    await runner.runToCompletion(hello);
    const agent = rootOf(new ScriptedLlm(says('The sea it is.')), { tools: [choose()] });
    const another = new Runner({ appName: 'app', agent, sessionService: sessions, runtime });
    expect((await another.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) })).text).toBe('The sea it is.');
  });

  it('brings state and words along with its answer (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Noted.'));
    const { runner, stored } = await houseOf(rootOf(model, { tools: [choose()], instruction: 'Mood: {mood?}.' }));
    await runner.runToCompletion(hello);
    const newMessage = answerTo(['c1', { choice: 'sea' }]);
    newMessage.parts!.push({ text: 'and a quiet one' });
    await runner.runToCompletion({ ...hello, newMessage, stateDelta: { mood: 'good' } });
    expect(told(model.requests[1]!)).toEqual(
      expect.arrayContaining(['user: c1 → {"choice":"sea"}', 'user: and a quiet one']),
    );
    expect(model.requests[1]!.config.systemInstruction).toContain('Mood: good.');
    expect((await stored()).state).toEqual({ mood: 'good' });
  });

  it('of two open ones each has its own answer, in whichever order (contract 28)', async () => {
    const model = new ScriptedLlm(
      callsAll(['get_user_choice', {}, 'c1'], ['get_user_choice', {}, 'c2']),
      says('And the other?'),
      says('Both, then.'),
    );
    const { runner } = await houseOf(rootOf(model, { tools: [choose()] }));
    expect(openIn((await runner.runToCompletion(hello)).events)).toEqual(['c1', 'c2']);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c2', { choice: 'b' }]) });
    expect(told(model.requests[1]!)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^user: c1 → .*pending/), 'user: c2 → {"choice":"b"}']),
    );
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'a' }]) });
    const { contents } = model.requests[2]!;
    const at = contents.findIndex((content) => getFunctionCalls({ content }).length > 0);
    expect(getFunctionResponses({ content: contents[at + 1] }).map(({ id, response }) => [id, response])).toEqual([
      ['c1', { choice: 'a' }],
      ['c2', { choice: 'b' }],
    ]);
  });
});

describe('whose answer it is', () => {
  it('the agent that made the call goes on, though another spoke since and it could not be resumed (contracts 28, 29)', async () => {
    const inner = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Room by the sea.'));
    const desk = new LlmAgent({ name: 'desk', model: inner, tools: [choose()], disallowTransferToParent: true });
    const outer = new ScriptedLlm(
      calls('transfer_to_agent', { agentName: 'desk' }),
      says('It rains.'),
      says('You are welcome.'),
    );
    const { runner } = await houseOf(rootOf(outer, { subAgents: [desk] }));
    await runner.runToCompletion(hello);
    const between = await runner.runToCompletion({ ...hello, newMessage: 'What is the weather like?' });
    expect(textsIn(between.events)).toEqual(['root: It rains.']);
    const { events } = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(textsIn(events)).toEqual(['desk: Room by the sea.']);
    expect(told(inner.requests[1]!)).toEqual(expect.arrayContaining(['model: c1', 'user: c1 → {"choice":"sea"}']));
    expect(textsIn((await runner.runToCompletion({ ...hello, newMessage: 'Thanks!' })).events)).toEqual([
      'root: You are welcome.',
    ]);
  });

  it('an agent inside a plan answers for itself; the plan begins anew with the message after (contracts 28, 29)', async () => {
    const asking = new LlmAgent({
      name: 'asking',
      model: new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Chosen.'), says('asked again')),
      tools: [choose()],
    });
    const writing = new LlmAgent({ name: 'writing', model: new ScriptedLlm(says('written')) });
    const { runner, stored } = await houseOf(new SequentialAgent({ name: 'root', subAgents: [asking, writing] }));
    await runner.runToCompletion(hello);
    const answered = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(textsIn(answered.events)).toEqual(['asking: Chosen.']);
    const next = await runner.runToCompletion({ ...hello, newMessage: 'Go on.' });
    expect(textsIn(next.events)).toEqual(['asking: asked again', 'writing: written']);
    expect((await stored()).id).toBe(ref.sessionId);
  });
});
