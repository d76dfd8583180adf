import type { Agent, LlmResponse } from '@thole/core';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { LlmAgent } from '../../src/agents/llm-agent.ts';
import { ParallelAgent } from '../../src/agents/parallel-agent.ts';
import { SequentialAgent } from '../../src/agents/sequential-agent.ts';
import { createSetup, hello, ref, rootOf, settle, textsIn, toolOf } from '../support/llm-setup.ts';
import type { LlmTestSetup } from '../support/llm-setup.ts';

const never = (): Promise<LlmResponse> => new Promise(() => {});

/** Returns an answer of a model that waits for `open`. */
function slow(answer: LlmResponse): { answer: () => Promise<LlmResponse>; open: () => void } {
  const gate = Promise.withResolvers<void>();
  return { answer: () => gate.promise.then(() => answer), open: gate.resolve };
}

/** Starts a run, adds the message "more" to it, calls `open` so that the run continues, and then ends the process. */
async function dieAfterJoin(agent: Agent, open: () => void): Promise<LlmTestSetup> {
  const setup = await createSetup(agent, { concurrency: { policy: 'join' } });
  const { runner, sessions } = setup;
  // With a durable store, a process that closes leaves its runs unfinished, like a process that dies.
  Object.defineProperty(sessions, 'isDurable', { value: true });
  const first = runner.runToCompletion(hello);
  await settle();
  const second = runner.runToCompletion({ ...hello, newMessage: 'more' });
  await settle();
  open();
  await settle();
  await runner.close();
  await Promise.allSettled([first, second]);
  return setup;
}

/** Recovers the invocation in another process. Returns the texts of its session. Expects that a second recovery does nothing. */
async function recoverTexts({ runtime, sessions, stored }: LlmTestSetup, agent: Agent): Promise<string[]> {
  const { runner } = await createSetup(agent, { sessionService: sessions, runtime });
  await runtime.advance(120_000);
  expect(await Array.fromAsync(runner.recover())).toMatchObject([{ outcome: 'completed' }]);
  expect(await Array.fromAsync(runner.recover())).toEqual([]);
  return textsIn((await stored()).events).filter((text) => !text.startsWith('system'));
}

const more = { role: 'user', parts: [{ text: 'more' }] };

describe('Runner.recover and messages that have joined', () => {
  it('calls the model for a message although an answer was stored after it', async () => {
    const first = slow(says('First.'));
    const setup = await dieAfterJoin(rootOf(new ScriptedLlm(first.answer, never)), first.open);
    const model = new ScriptedLlm(says('Second.'));
    const texts = await recoverTexts(setup, rootOf(model));
    expect(texts).toEqual(['user: hello', 'user: more', 'root: First.', 'root: Second.']);
    expect(model.requests[0]!.contents.at(-1)).toEqual(more);
  });

  it('calls the model once for a message that it received before a tool was interrupted', async () => {
    const first = slow(says('First.'));
    const tool = toolOf('look', () => new Promise(() => {}));
    const agent = rootOf(new ScriptedLlm(first.answer, calls('look', {}, 'c1')), { tools: [tool] });
    const setup = await dieAfterJoin(agent, first.open);
    const model = new ScriptedLlm(says('Second.'));
    const after = rootOf(model, { tools: [toolOf('look', () => 'a view', { idempotent: true })] });
    const texts = await recoverTexts(setup, after);
    expect(texts.slice(3)).toEqual(['root: functionCall', 'root: functionResponse', 'root: Second.']);
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]!.contents.filter(({ parts }) => parts![0]!.text === 'more')).toHaveLength(1);
  });

  it('does not run a workflow again for a message that its second agent received', async () => {
    const first = slow(says('A.'));
    const setup = await dieAfterJoin(workflow(new ScriptedLlm(first.answer), new ScriptedLlm(never)), first.open);
    const texts = await recoverTexts(setup, workflow(new ScriptedLlm(), new ScriptedLlm(says('B.'))));
    expect(texts.slice(2)).toEqual(['agent0: A.', 'agent1: B.']);
  });

  it('runs a workflow again for a message that arrived during its last answer', async () => {
    const last = slow(says('B.'));
    const agent = workflow(new ScriptedLlm(says('A.'), never), new ScriptedLlm(last.answer));
    const setup = await dieAfterJoin(agent, last.open);
    const texts = await recoverTexts(setup, workflow(new ScriptedLlm(says('C.')), new ScriptedLlm(says('D.'))));
    expect(texts.slice(1)).toEqual(['agent0: A.', 'user: more', 'agent1: B.', 'agent0: C.', 'agent1: D.']);
  });

  it('runs parallel agents again if none of them has received the message', async () => {
    const first = slow(says('A.'));
    const second = slow(says('B.'));
    const agent = parallel(new ScriptedLlm(first.answer, never), new ScriptedLlm(second.answer, never));
    const setup = await dieAfterJoin(agent, () => {
      first.open();
      second.open();
    });
    const texts = await recoverTexts(setup, parallel(new ScriptedLlm(says('C.')), new ScriptedLlm(says('D.'))));
    expect(texts.toSorted()).toEqual(
      ['user: hello', 'user: more', 'agent0: A.', 'agent1: B.', 'agent0: C.', 'agent1: D.'].toSorted(),
    );
  });
});

describe('Runner.resume and messages that have joined', () => {
  it('calls the model for a message although an answer was stored after it', async () => {
    const first = slow(says('First.'));
    const setup = await dieAfterJoin(rootOf(new ScriptedLlm(first.answer, never)), first.open);
    const { runtime, sessions, stored } = setup;
    const { invocationId } = (await stored()).events[0]!;
    const { runner } = await createSetup(rootOf(new ScriptedLlm(says('Second.'))), {
      sessionService: sessions,
      runtime,
    });
    await runtime.advance(120_000);
    await Array.fromAsync(runner.resume({ ...ref, invocationId }));
    expect(textsIn((await stored()).events).at(-1)).toBe('root: Second.');
  });
});

describe('The metadata of joined messages', () => {
  it('is stored only if a message has joined', async () => {
    const first = slow(calls('look', {}, 'c1'));
    const look = toolOf('look', () => 'a view');
    const agent = rootOf(new ScriptedLlm(first.answer, says('Both.'), says('Alone.')), { tools: [look] });
    const { runner, stored } = await createSetup(agent, { concurrency: { policy: 'join' } });
    const run = runner.runToCompletion(hello);
    await settle();
    const other = runner.runToCompletion({ ...hello, newMessage: 'more' });
    await settle();
    first.open();
    await Promise.all([run, other]);
    await runner.runToCompletion(hello);
    const { events } = await stored();
    expect(events.map(({ customMetadata }) => [customMetadata?.['joined'], customMetadata?.['seenSeq']])).toEqual([
      [undefined, undefined],
      [true, undefined],
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 4],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });
});

function workflow(...models: ScriptedLlm[]): SequentialAgent {
  return new SequentialAgent({ name: 'root', subAgents: agentsOf(models) });
}

function parallel(...models: ScriptedLlm[]): ParallelAgent {
  return new ParallelAgent({ name: 'root', subAgents: agentsOf(models) });
}

function agentsOf(models: ScriptedLlm[]): LlmAgent[] {
  return models.map((model, i) => new LlmAgent({ name: `agent${i}`, model }));
}
