import { pendingInterrupts, textOf, TholeError } from '@thole/core';
import { applyRewinds } from '@thole/core/kit';
import type { Event, LlmRequest, LlmResponse, Summarizer } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { LongRunningFunctionTool } from '@thole/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomCases } from '../../../../test/servers/long.ts';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { Runner } from '../../src/runner/runner.ts';
import { countedTool, ref } from '../support/setup.ts';

const seed = Number(process.env['THOLE_SEED'] ?? Date.now() % 2 ** 31);
const runs = randomCases(10, 40);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('asks'), word: fc.constantFrom('hello', 'look', 'approve') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('answers'), which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rewinds'), back: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('compacts') }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Writes summaries with all texts that they replace. */
const completeSummarizer: Summarizer = {
  summarize: async ({ events, previousSummary = '' }) => {
    const text = [previousSummary, ...events.map(({ content }) => textOf(content))].join(' ');
    return { content: { role: 'model', parts: [{ text: `${text} end` }] } };
  },
};

/** Plays the steps. After each message, every visible text must be in the prompt exactly once. */
async function play(steps: readonly Step[]): Promise<void> {
  const runtime = new FixedRuntime();
  const sessionService = new InMemorySessionService({ runtime });
  await sessionService.createSession(ref);
  let count = 0;
  let shown: LlmRequest | undefined;
  let newest = '';
  const answer = (request: LlmRequest): LlmResponse => {
    shown = request;
    const last = request.contents.at(-1)!;
    const word = /^(look|approve) /.exec(textOf(last))?.[1];
    newest = word ? '' : `<a${++count}>`;
    return word ? calls(word, {}, `c${++count}`) : says(newest);
  };
  const approve = new LongRunningFunctionTool({
    name: 'approve',
    description: 'Asks.',
    execute: () => ({ noted: true }),
  });
  const model = new ScriptedLlm(...Array.from({ length: 200 }, () => answer));
  const tools = [approve, countedTool('look', async () => ({ found: 1 }))];
  const rootAgent = new LlmAgent({ name: 'root', model, tools });
  const compaction = { interval: 3, summarizer: completeSummarizer };
  const runner = new Runner({ app: { name: 'app', rootAgent, compaction }, sessionService, runtime });
  const session = { userId: ref.userId, sessionId: ref.sessionId };
  const stored = async (): Promise<Event[]> => (await sessionService.getSession(ref))!.events;

  const applyStep = async (each: Step): Promise<void> => {
    switch (each.kind) {
      case 'asks':
        return void (await runner.runToCompletion({ ...session, newMessage: `${each.word} <q${++count}>` }));
      case 'answers': {
        const open = pendingInterrupts(await stored());
        const interrupt = open[each.which % open.length];
        if (!interrupt) return;
        const { id, toolName: name } = interrupt;
        const part = { functionResponse: { id, name: name!, response: { approved: true } } };
        return void (await runner.runToCompletion({ ...session, newMessage: { role: 'user', parts: [part] } }));
      }
      case 'rewinds': {
        const rewindBeforeInvocationId = (await stored()).at(-1 - each.back)?.invocationId;
        if (rewindBeforeInvocationId === undefined) return;
        try {
          await runner.rewind({ ...session, rewindBeforeInvocationId });
        } catch (error) {
          if (!TholeError.is(error, 'REWIND_SPLITS_CALL') && !TholeError.is(error, 'INVOCATION_NOT_FOUND')) throw error;
        }
        return;
      }
      case 'compacts':
        return void (await runner.compact(session));
    }
  };

  for (const each of [...steps, { kind: 'asks', word: 'hello' } as const]) {
    const before = shown;
    await applyStep(each);
    await runner.idle();
    if (shown === before) continue;
    const said = applyRewinds(await stored()).flatMap(({ content }) => textOf(content).match(/<\w+>/g) ?? []);
    // All words except the answer to this prompt.
    const expected = said.filter((word) => word !== newest).toSorted();
    const words = JSON.stringify(shown!.contents).match(/<\w+>/g) ?? [];
    expect({ each, words: words.toSorted() }).toEqual({ each, words: expected });
  }
  await runner.close();
}

describe(`compaction of random conversations (seed ${seed})`, () => {
  it('shows the model every word exactly once, after rewinds and late answers (contract 26)', async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 16, size: 'max' }), play), { seed, numRuns: runs });
  });
});
