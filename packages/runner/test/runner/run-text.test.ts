import { says as answers, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { stringsSchema } from '../support/llm-house.ts';
import { hello, houseOf } from '../support/runs.ts';

const streamed = { ...hello, runConfig: { streamingMode: 'sse' as const } };
const partials = (...pieces: string[]): ReturnType<typeof streams> => streams(...pieces);

describe('Run.text', () => {
  it('gives each text once where branches stream at the same time', async () => {
    const subAgents = ['a', 'b', 'c'].map(
      (name) => new LlmAgent({ name, model: new ScriptedLlm(partials(`${name}1`, `${name}2`, `${name}3`)) }),
    );
    const { runner } = await houseOf(new ParallelAgent({ name: 'root', subAgents }));
    const pieces = await Array.fromAsync(runner.runAsync(streamed).text());
    expect([...pieces].sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3']);
  });

  it('gives nothing of an answer that outputSchema refused', async () => {
    const model = new ScriptedLlm(partials('{"tow', 'n":"Oslo"}'), partials('{"city":', '"Oslo"}'));
    const { runner } = await houseOf(new LlmAgent({ name: 'root', model, outputSchema: stringsSchema('city') }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['{"city":"Oslo"}']);
  });

  it('still streams the agents beside one with an outputSchema', async () => {
    const subAgents = [
      new LlmAgent({
        name: 'a',
        model: new ScriptedLlm(partials('{"city":', '"Oslo"}')),
        outputSchema: stringsSchema('city'),
      }),
      new LlmAgent({ name: 'b', model: new ScriptedLlm(partials('In ', 'Oslo.')) }),
    ];
    const { runner } = await houseOf(new SequentialAgent({ name: 'root', subAgents }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['{"city":"Oslo"}', 'In ', 'Oslo.']);
  });

  it('gives whole answers of models that do not stream', async () => {
    const { runner } = await houseOf(new LlmAgent({ name: 'root', model: new ScriptedLlm(answers('Hello.')) }));
    expect(await Array.fromAsync(runner.runAsync(streamed).text())).toEqual(['Hello.']);
  });
});
