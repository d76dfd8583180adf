import { TholeError } from '@thole/core';
import { says as answers, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { stringsSchema } from '../support/llm-setup.ts';
import { agentOf, createSetup, hello, says, saying, settle, textsIn } from '../support/setup.ts';

const streamed = { ...hello, runConfig: { streamingMode: 'sse' as const } };

describe('Run', () => {
  it('stores the message first, then yields each stored event (contract 16)', async () => {
    const { runner, stored } = await createSetup(saying('root', 'one', 'two'));
    const events = await Array.fromAsync(runner.runAsync(hello));
    expect(textsIn(events)).toEqual(['one', 'two']);
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two']);
    expect((await stored()).events[2]).toBe(events[1]);
  });

  it('continues from the stored event when the next event is requested (contracts 16, 23)', async () => {
    const seen: string[] = [];
    const agent = agentOf('root', async function* (context) {
      const first = yield says(context, 'one');
      seen.push(`continued from ${first.seq}`);
      yield says(context, 'two');
    });
    const { runner } = await createSetup(agent);
    const run = runner.runAsync(hello);
    expect((await run.next()).value?.seq).toBe(2);
    await settle();
    expect(seen).toEqual([]);
    await run.next();
    expect(seen).toEqual(['continued from 2']);
    await run.return?.();
  });

  it('begins when it is first read (contract 23)', async () => {
    const { runner, stored } = await createSetup(saying('root', 'one'));
    const run = runner.runAsync(hello);
    await settle();
    expect((await stored()).events).toEqual([]);
    await run.done;
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one']);
  });

  it('begins at once and does not wait for a reader if it is detached (contract 23)', async () => {
    const { runner, stored } = await createSetup(saying('root', 'one', 'two'));
    const run = runner.runAsync({ ...hello, runConfig: { reader: 'detached' } });
    await settle();
    expect(textsIn((await stored()).events)).toEqual(['hello', 'one', 'two']);
    expect(textsIn(await Array.fromAsync(run))).toEqual(['one', 'two']);
  });

  it('rejects a second reader', async () => {
    const { runner } = await createSetup(saying('root', 'one'));
    const run = runner.runAsync(hello);
    const first = run[Symbol.asyncIterator]();
    expect(() => run[Symbol.asyncIterator]()).toThrow(TholeError);
    await first.return?.();
  });
});

describe('Run.text', () => {
  it('yields each text once when branches stream at the same time', async () => {
    const subAgents = ['a', 'b', 'c'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(streams(`${name}1`, `${name}2`, `${name}3`)) }),
    );
    const { runner } = await createSetup(new ParallelAgent({ name: 'root', subAgents }));
    const pieces = await Array.fromAsync(runner.runAsync(streamed).text());
    expect([...pieces].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
  });

  it('yields nothing of an answer that does not match the outputSchema', async () => {
    const model = new ScriptedLlm(streams('{"tow', 'n":"Oslo"}'), streams('{"city":', '"Oslo"}'));
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model, outputSchema: stringsSchema('city') }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['{"city":"Oslo"}']);
  });

  it('streams agents next to an agent with an outputSchema', async () => {
    const subAgents = [
      new LlmAgent({
        name: 'a',
        model: new ScriptedLlm(streams('{"city":', '"Oslo"}')),
        outputSchema: stringsSchema('city'),
      }),
      new LlmAgent({ name: 'b', model: new ScriptedLlm(streams('In ', 'Oslo.')) }),
    ];
    const { runner } = await createSetup(new SequentialAgent({ name: 'root', subAgents }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['{"city":"Oslo"}', 'In ', 'Oslo.']);
  });

  it('yields complete answers of models that do not stream', async () => {
    const { runner } = await createSetup(new LlmAgent({ name: 'root', model: new ScriptedLlm(answers('Hello.')) }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['Hello.']);
  });

  it('yields each text once, streamed or complete', async () => {
    const agent = agentOf('root', async function* (context) {
      const complete = says(context, 'Hello');
      yield { ...complete, content: { role: 'model', parts: [{ text: 'Hel' }] }, partial: true };
      yield { ...complete, content: { role: 'model', parts: [{ text: 'lo' }] }, partial: true };
      yield complete;
      yield says(context, '!');
    });
    const { runner } = await createSetup(agent);
    expect(await Array.fromAsync(runner.runAsync(hello).text())).toEqual(['Hel', 'lo', '!']);
  });
});
