import type { LlmRequest, LlmResponse } from '@thole/core';
import { calls, callsAll, fails, hangs, ignores, modelNamed, says, ScriptedLlm, streams, thinks } from '@thole/testing';
import { describe, expect, it } from 'vitest';

const request = (text: string): LlmRequest => ({ contents: [{ role: 'user', parts: [{ text }] }], config: {} });
const ask = (model: ScriptedLlm, stream = false, signal = new AbortController().signal): Promise<LlmResponse[]> =>
  Array.fromAsync(model.generateContentAsync(request('hello'), { stream, signal }));

describe('ScriptedLlm', () => {
  it('answers from its script in order and keeps copies of the requests', async () => {
    const model = new ScriptedLlm(says('one'), calls('weather', { city: 'Riga' }, 'c1'));
    const first = request('hello');
    await Array.fromAsync(model.generateContentAsync(first, { stream: false, signal: new AbortController().signal }));
    first.contents[0]!.parts![0]!.text = 'changed';
    const [second] = await ask(model);
    expect(second?.content?.parts).toEqual([{ functionCall: { id: 'c1', name: 'weather', args: { city: 'Riga' } } }]);
    expect(model.requests[0]?.contents[0]?.parts).toEqual([{ text: 'hello' }]);
    model.assertDone();
  });

  it('yields partial responses only with streaming', async () => {
    const answers = await ask(new ScriptedLlm(streams('Hel', 'lo')), true);
    expect(answers.map((answer) => [answer.partial, answer.content?.parts?.[0]?.text])).toEqual([
      [true, 'Hel'],
      [true, 'lo'],
      [undefined, 'Hello'],
    ]);
    expect(await ask(new ScriptedLlm(streams('Hel', 'lo')), false)).toEqual([says('Hello')]);
  });

  it('throws at a call after its script, and in assertDone if answers are left', async () => {
    const model = new ScriptedLlm(says('one'));
    expect(() => model.assertDone()).toThrow('1 more answers');
    await ask(model);
    await expect(ask(model)).rejects.toThrow('called 2 times, but its script has 1');
  });

  it('throws at an answer that is not a response, and names its place in the script', async () => {
    const model = new ScriptedLlm(says('one'), (async () => {}) as never, 'three' as never);
    await ask(model);
    await expect(ask(model)).rejects.toThrow(
      'Answer 2 of the script must be a response, a list of responses or an Error',
    );
    await expect(ask(model)).rejects.toThrow('got a string');
  });

  it('throws the error of the script', async () => {
    const own = new Error('own');
    const model = new ScriptedLlm(fails('MODEL_OVERLOADED'), fails(own));
    await expect(ask(model)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED', retryable: true });
    await expect(ask(model)).rejects.toBe(own);
  });

  it('calls a function with the request for its answer', async () => {
    const model = new ScriptedLlm((received) => says(`You said ${received.contents[0]?.parts?.[0]?.text}.`));
    expect(await ask(model)).toEqual([says('You said hello.')]);
  });

  it('hangs until its signal is aborted, or ignores the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const hanging = ask(new ScriptedLlm(hangs()), false, controller.signal);
    const ignoring = ask(new ScriptedLlm(ignores()), false, controller.signal);
    controller.abort(reason);
    await expect(hanging).rejects.toBe(reason);
    expect(await Promise.race([ignoring, Promise.resolve('still waiting')])).toBe('still waiting');
    await expect(ask(new ScriptedLlm(says('no')), false, controller.signal)).rejects.toBe(reason);
  });

  it('returns a separate answer to each reader', async () => {
    const shared = says('one');
    const [answer] = await ask(new ScriptedLlm(shared));
    answer!.content!.parts!.pop();
    expect(shared).toEqual(says('one'));
  });

  it('yields thoughts and several calls', () => {
    expect(thinks('hm', 'yes').content?.parts).toEqual([{ text: 'hm', thought: true }, { text: 'yes' }]);
    expect(callsAll(['a'], ['b', { n: 1 }, 'c2']).content?.parts).toEqual([
      { functionCall: { name: 'a', args: {} } },
      { functionCall: { id: 'c2', name: 'b', args: { n: 1 } } },
    ]);
  });

  it('is created by modelNamed for its name only', () => {
    const model = new ScriptedLlm();
    const factory = modelNamed('gemini-2.0-flash', model);
    expect([factory.supports('gemini-2.0-flash'), factory.supports('gemini')]).toEqual([true, false]);
    expect(factory.create('gemini-2.0-flash')).toBe(model);
  });
});
