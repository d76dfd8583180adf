import type { App, JsonObject, LlmResponse, RunConfig, Usage } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { AgentTool } from '../../src/agents/agent-tool.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { outcomeOf, ref, textsIn, toolOf } from '../support/llm-setup.ts';

const spends = (tokens: number, answer: LlmResponse): LlmResponse => ({
  ...answer,
  usageMetadata: { promptTokenCount: tokens - 1, candidatesTokenCount: 1 },
});
const totalCost = ({ promptTokenCount = 0 }: Usage): number => promptTokenCount / 100;
const session = { userId: ref.userId, sessionId: ref.sessionId, newMessage: 'hello' };

interface Outcome {
  code: string | undefined;
  texts: string[];
  modelCalls: number;
  stored: number;
}

async function run(
  answers: LlmResponse[],
  limits: RunConfig['limits'],
  p: { costOf?: App['costOf']; tools?: LlmAgent['tools']; outputSchema?: JsonObject } = {},
): Promise<Outcome> {
  const model = new ScriptedLlm(...answers);
  const rootAgent = new LlmAgent({
    name: 'root',
    model,
    tools: p.tools ?? [toolOf('look', () => 1)],
    outputSchema: p.outputSchema,
  });
  const sessionService = new InMemorySessionService();
  await sessionService.createSession(ref);
  const runner = new Runner({ app: { name: 'app', rootAgent, costOf: p.costOf }, sessionService });
  const { events, error } = await outcomeOf(runner.runAsync({ ...session, runConfig: { limits } }));
  const stored = (await sessionService.getSession(ref))!.events.length;
  return { code: error?.code, texts: textsIn(events), modelCalls: model.requests.length, stored };
}

describe('runConfig.limits', () => {
  it('ends the run when exactly as many tokens are used as the limit allows', async () => {
    const answers = [spends(100, calls('look')), spends(60, says('done'))];
    expect(await run(answers, { tokens: 100 })).toMatchObject({ code: 'TOKEN_LIMIT', modelCalls: 1 });
    expect(await run(answers, { tokens: 101 })).toMatchObject({ code: undefined, modelCalls: 2 });
  });

  it('ends the run with TOKEN_LIMIT before the next model call', async () => {
    const answers = [spends(60, calls('look')), spends(60, calls('look')), spends(60, says('done'))];
    const outcome = await run(answers, { tokens: 100 });
    expect(outcome).toMatchObject({ code: 'TOKEN_LIMIT', modelCalls: 2 });
    expect(outcome.texts.at(-1)).toContain('TOKEN_LIMIT');
  });

  it('counts answers that do not fit the outputSchema (contract 19)', async () => {
    const outputSchema = { type: 'object', required: ['n'] };
    const answers = [spends(60, says('one')), spends(60, says('two')), spends(60, says('{"n":1}'))];
    for (const limits of [{ tokens: 100 }, { cost: 1 }]) {
      const outcome = await run(answers, limits, { outputSchema, costOf: totalCost });
      expect(outcome).toMatchObject({ code: 'tokens' in limits ? 'TOKEN_LIMIT' : 'COST_LIMIT', modelCalls: 2 });
    }
    // The stored answer contains the tokens of the others, which count once.
    const all = [...answers.slice(0, 2), spends(60, calls('look')), spends(60, says('{"n":1}'))];
    const tools = [toolOf('look', () => 1)];
    expect(await run(all.slice(1), { tokens: 125 }, { outputSchema, tools })).toMatchObject({
      code: undefined,
      modelCalls: 3,
    });
  });

  it('does not end a run whose last call exceeds the limit', async () => {
    expect(await run([spends(500, says('done'))], { tokens: 100 })).toMatchObject({ code: undefined, modelCalls: 1 });
  });

  it('ends the run with COST_LIMIT, and passes usage and model to costOf of the app', async () => {
    const priced: [Usage, string][] = [];
    const costOf = (usage: Usage, model: string): number => (priced.push([usage, model]), 0.5);
    const outcome = await run([spends(60, calls('look')), spends(60, says('done'))], { cost: 0.5 }, { costOf });
    expect(outcome).toMatchObject({ code: 'COST_LIMIT', modelCalls: 1 });
    expect(priced).toEqual([[{ promptTokenCount: 59, candidatesTokenCount: 1 }, new ScriptedLlm().model]]);
  });

  it('counts the calls of agents that run as tools', async () => {
    const helper = new LlmAgent({
      ...{ name: 'helper', description: 'Helps.' },
      model: new ScriptedLlm(spends(90, says('helped'))),
    });
    const tools = [new AgentTool({ agent: helper })];
    const answers = [spends(20, calls('helper', { request: 'help' })), says('done')];
    expect(await run(answers, { tokens: 100 }, { tools })).toMatchObject({ code: 'TOKEN_LIMIT', modelCalls: 1 });
    expect(await run(answers, { tokens: 10 }, { tools })).toMatchObject({ code: 'TOKEN_LIMIT', modelCalls: 1 });
  });

  it('throws INVALID_INPUT for the cost if costOf fails or returns no number', async () => {
    const fails = (): number => {
      throw new Error('There is no price.');
    };
    for (const costOf of [() => Number.NaN, () => -1, fails, async () => 1]) {
      const outcome = await run(
        [spends(1, calls('look')), says('done')],
        { cost: 1 },
        { costOf: costOf as App['costOf'] },
      );
      expect(outcome).toMatchObject({ code: 'INVALID_INPUT', modelCalls: 1 });
    }
  });

  it.each<[string, RunConfig['limits']]>([
    ['a cost without costOf', { cost: 1 }],
    ['tokens 0', { tokens: 0 }],
    ['tokens that are not an integer', { tokens: 1.5 }],
    ['an unknown limit', { calls: 3 } as RunConfig['limits']],
  ])('rejects %s with INVALID_INPUT before anything is stored', async (_, limits) => {
    expect(await run([says('done')], limits)).toMatchObject({ code: 'INVALID_INPUT', modelCalls: 0, stored: 0 });
  });
});
