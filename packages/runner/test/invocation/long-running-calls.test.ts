import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import type { Content, Event, JsonObject, LlmRequest, Tool } from '@thole/core';
import { calls, callsAll, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { hello, createSetup, outcomeOf, ref, rootOf, textsIn, toolOf } from '../support/llm-setup.ts';

/** Returns a tool whose answer the user sends later. */
const choose = (): Tool =>
  toolOf('get_user_choice', (_args, { actions }) => void (actions.skipSummarization = true), { isLongRunning: true });

const answerTo = (...answers: [id: string, response: JsonObject, name?: string][]): Content => ({
  role: 'user',
  parts: answers.map(([id, response, name = 'get_user_choice']) => ({ functionResponse: { id, name, response } })),
});

const openIn = (events: readonly Event[]): string[] => events.flatMap((event) => event.longRunningToolIds ?? []);

/** Returns the contents of a request as `role: text`. */
function linesOf({ contents }: LlmRequest): string[] {
  return contents.flatMap(({ role, parts }) =>
    (parts ?? []).map(
      ({ text, functionCall, functionResponse }) =>
        `${role}: ${text ?? functionCall?.id ?? `${functionResponse?.id} → ${JSON.stringify(functionResponse?.response)}`}`,
    ),
  );
}

describe('A long-running call', () => {
  it('ends the run without an answer; a later answer is next to its call (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', { options: ['sea', 'city'] }, 'c1'), says('The sea it is.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [choose()] }));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(openIn(events)).toEqual(['c1']);
    expect(events.flatMap(getFunctionResponses)).toEqual([]);
    expect((await stored()).events.some(({ errorCode }) => errorCode)).toBe(false);
    const { text } = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(text).toBe('The sea it is.');
    expect(linesOf(model.requests[1]!)).toEqual(['user: hello', 'model: c1', 'user: c1 → {"choice":"sea"}']);
    model.assertDone();
  });

  it('runs the tool once, and not again for its answer (contracts 18, 28)', async () => {
    let runs = 0;
    const tool = toolOf('get_user_choice', () => void runs++, { isLongRunning: true });
    const { runner } = await createSetup(
      rootOf(new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('x')), { tools: [tool] }),
    );
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) });
    expect(runs).toBe(1);
  });

  it.each<[string, Content, string, string]>([
    ['an unknown call id', answerTo(['c9', {}]), 'c9', 'INTERRUPT_NOT_FOUND'],
    ['the name of another tool', answerTo(['c1', {}, 'pay']), 'pay', 'INTERRUPT_MISMATCH'],
    [
      'no id',
      { role: 'user', parts: [{ functionResponse: { name: 'get_user_choice', response: {} } }] },
      'id',
      'INVALID_INPUT',
    ],
    ['the same id twice in one message', answerTo(['c1', { a: 1 }], ['c1', { a: 2 }]), 'c1', 'INVALID_INPUT'],
  ])(
    'rejects an answer with %s, and then accepts the correct answer (contract 28)',
    async (_, newMessage, messagePart, code) => {
      const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Thanks.'));
      const { runner, stored } = await createSetup(rootOf(model, { tools: [choose()] }));
      await runner.runToCompletion(hello);
      const before = (await stored()).events.length;
      const { error } = await outcomeOf(runner.runAsync({ ...hello, newMessage }));
      expect(error).toMatchObject({ code, message: expect.stringContaining(messagePart) });
      expect((await stored()).events.length).toBe(before);
      expect((await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) })).text).toBe('Thanks.');
    },
  );

  it('rejects a second answer and keeps the first (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Thanks.'), says('Still the sea.'));
    const { runner } = await createSetup(rootOf(model, { tools: [choose()] }));
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    const again = runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'city' }]) });
    await expect(again).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED', message: expect.stringContaining('c1') });
    await runner.runToCompletion({ ...hello, newMessage: 'What did I choose?' });
    expect(linesOf(model.requests[2]!)).toContain('user: c1 → {"choice":"sea"}');
    expect(JSON.stringify(model.requests[2])).not.toContain('city');
  });

  it('rejects an answer of the user if the tool has answered (contract 28)', async () => {
    const model = new ScriptedLlm(calls('look', {}, 'c1'), says('Seen.'));
    const { runner } = await createSetup(rootOf(model, { tools: [toolOf('look', () => 1)] }));
    await runner.runToCompletion(hello);
    const forged = runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { seen: 'gold' }, 'look']) });
    await expect(forged).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED' });
  });

  it('has ended if its tool fails, and accepts no answer (contract 28)', async () => {
    const failing = toolOf('order', () => Promise.reject(new Error('No stock.')), { isLongRunning: true });
    const model = new ScriptedLlm(calls('order', {}, 'c1'), says('Sorry.'));
    const { runner } = await createSetup(rootOf(model, { tools: [failing] }));
    expect(await runner.runToCompletion(hello)).toMatchObject({ status: 'completed', text: 'Sorry.', interrupts: [] });
    const late = runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { arrived: true }, 'order']) });
    await expect(late).rejects.toMatchObject({ code: 'INTERRUPT_ANSWERED' });
  });

  it('is pending for the model in the turns before its answer (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('It rains.'), says('The sea it is.'));
    const { runner } = await createSetup(rootOf(model, { tools: [choose()] }));
    await runner.runToCompletion(hello);
    await runner.runToCompletion({ ...hello, newMessage: 'What is the weather like?' });
    expect(linesOf(model.requests[1]!)).toEqual([
      'user: hello',
      'model: c1',
      expect.stringMatching(/^user: c1 → .*pending/),
      'user: What is the weather like?',
    ]);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    const last = linesOf(model.requests[2]!);
    expect(last[last.indexOf('model: c1') + 1]).toBe('user: c1 → {"choice":"sea"}');
    expect(last).toEqual(expect.arrayContaining(['user: What is the weather like?', 'model: It rains.']));
    expect(model.requests[2]!.contents.at(-1)!.role).toBe('user');
    expect(JSON.stringify(last)).not.toContain('pending');
  });

  it('accepts the answer in another runner (contract 28)', async () => {
    const { runner, sessions, runtime } = await createSetup(
      rootOf(new ScriptedLlm(calls('get_user_choice', {}, 'c1')), { tools: [choose()] }),
    );
    await runner.runToCompletion(hello);
    const agent = rootOf(new ScriptedLlm(says('The sea it is.')), { tools: [choose()] });
    const otherRunner = new Runner({ appName: 'app', agent, sessionService: sessions, runtime });
    expect((await otherRunner.runToCompletion({ ...hello, newMessage: answerTo(['c1', {}]) })).text).toBe(
      'The sea it is.',
    );
  });

  it('accepts state and text together with the answer (contract 28)', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Noted.'));
    const { runner, stored } = await createSetup(rootOf(model, { tools: [choose()], instruction: 'Mood: {mood?}.' }));
    await runner.runToCompletion(hello);
    const newMessage = answerTo(['c1', { choice: 'sea' }]);
    newMessage.parts!.push({ text: 'and a quiet one' });
    await runner.runToCompletion({ ...hello, newMessage, stateDelta: { mood: 'good' } });
    expect(linesOf(model.requests[1]!)).toEqual(
      expect.arrayContaining(['user: c1 → {"choice":"sea"}', 'user: and a quiet one']),
    );
    expect(model.requests[1]!.config.systemInstruction).toContain('Mood: good.');
    expect((await stored()).state).toEqual({ mood: 'good' });
  });

  it('accepts the answers of two calls in any order (contract 28)', async () => {
    const model = new ScriptedLlm(
      callsAll(['get_user_choice', {}, 'c1'], ['get_user_choice', {}, 'c2']),
      says('And the other?'),
      says('Both, then.'),
    );
    const { runner } = await createSetup(rootOf(model, { tools: [choose()] }));
    expect(openIn((await runner.runToCompletion(hello)).events)).toEqual(['c1', 'c2']);
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c2', { choice: 'b' }]) });
    expect(linesOf(model.requests[1]!)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^user: c1 → .*pending/), 'user: c2 → {"choice":"b"}']),
    );
    await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'a' }]) });
    const { contents } = model.requests[2]!;
    const callIndex = contents.findIndex((content) => getFunctionCalls({ content }).length > 0);
    expect(
      getFunctionResponses({ content: contents[callIndex + 1] }).map(({ id, response }) => [id, response]),
    ).toEqual([
      ['c1', { choice: 'a' }],
      ['c2', { choice: 'b' }],
    ]);
  });
});

describe('The answer of a long-running call', () => {
  it('goes to the agent that made the call, even if it is not resumable (contracts 28, 29)', async () => {
    const inner = new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Room by the sea.'));
    const desk = new LlmAgent({ name: 'desk', model: inner, tools: [choose()], disallowTransferToParent: true });
    const outer = new ScriptedLlm(
      calls('transfer_to_agent', { agentName: 'desk' }),
      says('It rains.'),
      says('You are welcome.'),
    );
    const { runner } = await createSetup(rootOf(outer, { subAgents: [desk] }));
    await runner.runToCompletion(hello);
    const between = await runner.runToCompletion({ ...hello, newMessage: 'What is the weather like?' });
    expect(textsIn(between.events)).toEqual(['root: It rains.']);
    const { events } = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(textsIn(events)).toEqual(['desk: Room by the sea.']);
    expect(linesOf(inner.requests[1]!)).toEqual(expect.arrayContaining(['model: c1', 'user: c1 → {"choice":"sea"}']));
    expect(textsIn((await runner.runToCompletion({ ...hello, newMessage: 'Thanks!' })).events)).toEqual([
      'root: You are welcome.',
    ]);
  });

  it('continues a SequentialAgent, which starts again for the next message (contracts 28, 29)', async () => {
    const asking = new LlmAgent({
      name: 'asking',
      model: new ScriptedLlm(calls('get_user_choice', {}, 'c1'), says('Chosen.'), says('asked again')),
      tools: [choose()],
    });
    const writing = new LlmAgent({ name: 'writing', model: new ScriptedLlm(says('written'), says('written again')) });
    const { runner, stored } = await createSetup(new SequentialAgent({ name: 'root', subAgents: [asking, writing] }));
    await runner.runToCompletion(hello);
    const answered = await runner.runToCompletion({ ...hello, newMessage: answerTo(['c1', { choice: 'sea' }]) });
    expect(textsIn(answered.events)).toEqual(['asking: Chosen.', 'writing: written']);
    const next = await runner.runToCompletion({ ...hello, newMessage: 'Go on.' });
    expect(textsIn(next.events)).toEqual(['asking: asked again', 'writing: written again']);
    expect((await stored()).id).toBe(ref.sessionId);
  });
});
