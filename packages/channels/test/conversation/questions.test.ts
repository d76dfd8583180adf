import { TholeError } from '@thole/core';
import { AgentTool, LlmAgent } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { newStorage, startAssistant } from '../support/assistant.ts';

function payTool(paid: unknown[]) {
  return new FunctionTool({
    name: 'pay',
    description: 'Pays an amount.',
    parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
    requireConfirmation: true,
    execute: async (args) => {
      paid.push(args);
      return { done: true };
    },
  });
}

describe('Conversation questions', () => {
  it('sends a confirmation with the arguments, and runs the call after a yes (contracts 28, 45)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('Paid.'));
    const { chat, settle, storage } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    await chat.receive('a1', 'pay 5');
    await settle();
    expect(chat.texts).toEqual([expect.stringMatching(/pay \{"amount":5\}\n\(yes \/ no\)$/)]);
    expect(paid).toEqual([]);
    await chat.receive('a1', 'Yes!');
    await settle();
    expect(paid).toEqual([{ amount: 5 }]);
    expect(chat.texts.slice(1)).toEqual(['Paid.']);
    expect(await storage.deliveries.unfinished()).toEqual([]);
  });

  it('shows the call of an agent that runs as a tool', async () => {
    const paid: unknown[] = [];
    const inner = new ScriptedLlm(calls('pay', { amount: 5 }), says('Paid 5.'));
    const agent = new LlmAgent({ name: 'clerk', description: 'Pays.', model: inner, tools: [payTool(paid)] });
    const llm = new ScriptedLlm(calls('clerk', { request: 'Pay.' }), says('Done.'));
    const tools = [new AgentTool({ agent })];
    const { chat, settle } = await startAssistant({ llm, runtime: new FixedRuntime(), tools });
    await chat.receive('a1', 'pay 5');
    await settle();
    expect(chat.texts).toEqual([expect.stringMatching(/pay \{"amount":5\}\n\(yes \/ no\)$/)]);
    await chat.receive('a1', 'yes');
    await settle();
    expect(paid).toEqual([{ amount: 5 }]);
  });

  it('does not run the call after a no', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('Not paid.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    await chat.receive('a1', 'pay 5');
    await settle();
    await chat.receive('a1', 'no');
    await settle();
    expect(paid).toEqual([]);
    expect(chat.texts.slice(1)).toEqual(['Not paid.']);
  });

  it('treats other text as a message and keeps the question open (contract 28)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('It is for Bob.'), says('Paid.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    await chat.receive('a1', 'pay 5');
    await settle();
    await chat.receive('a1', 'yes, but who gets it?');
    await settle();
    expect(paid).toEqual([]);
    await chat.receive('a1', 'ok');
    await settle();
    expect(paid).toEqual([{ amount: 5 }]);
    expect(chat.texts.slice(1)).toEqual(['It is for Bob.', 'Paid.']);
  });

  it('never approves a call whose question could not be sent yet (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('What is ok?'), says('Paid.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    chat.onSend = () => {
      throw new TholeError('CHANNEL_UNAVAILABLE', 'Too many requests.', { retryAfterMs: 60_000 });
    };
    await chat.receive('a1', 'pay 5');
    await settle();
    await chat.receive('a1', 'ok');
    await settle();
    expect([chat.texts, paid]).toEqual([[], []]);
    chat.onSend = () => {};
    await runtime.advance(60_000);
    await settle();
    expect(chat.texts).toEqual([expect.stringMatching(/\(yes \/ no\)$/), 'What is ok?']);
    await chat.receive('a1', 'ok');
    await settle();
    expect([chat.texts.at(-1), paid]).toEqual(['Paid.', [{ amount: 5 }]]);
  });

  it('reads an answer to a question that the channel has not confirmed within the time limit', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('Paid.'));
    const { chat, settle } = await startAssistant({
      llm,
      runtime,
      tools: [payTool(paid)],
      options: { retryMs: 60_000 },
    });
    chat.onSend = () => new Promise(() => {});
    await chat.receive('a1', 'pay 5');
    await runtime.advance(1_000);
    await runtime.advance(60_000);
    await chat.receive('a1', 'yes');
    await settle();
    expect(paid).toEqual([{ amount: 5 }]);
  });

  it('passes an answer to the agent if the tool of its question was removed, and reports it', async () => {
    const runtime = new FixedRuntime();
    const storage = newStorage(runtime);
    const first = await startAssistant({
      ...{ runtime, storage, tools: [payTool([])] },
      llm: new ScriptedLlm(calls('pay', { amount: 5 })),
    });
    await first.chat.receive('a1', 'pay 5', { id: 'm1' });
    await first.settle();
    await first.dispatcher.close();
    const llm = new ScriptedLlm(says('I cannot pay any more.'));
    const { chat, failures, settle } = await startAssistant({ runtime, storage, llm });
    await chat.receive('a1', 'yes', { id: 'm2' });
    await settle();
    expect(chat.texts).toEqual(['I cannot pay any more.']);
    expect(failures).toMatchObject([{ step: 'run', error: { code: 'INTERRUPT_MISMATCH' } }]);
    expect(await storage.deliveries.unfinished()).toEqual([]);
  });

  it('approves the call of the question that was sent last (contract 45)', async () => {
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(
      calls('pay', { amount: 5 }),
      calls('pay', { amount: 7 }),
      says('Paid 7.'),
      says('Paid 5.'),
    );
    const { chat, settle } = await startAssistant({ llm, runtime: new FixedRuntime(), tools: [payTool(paid)] });
    for (const text of ['pay 5', 'no, wait: pay 7 first', 'yes', 'yes']) {
      await chat.receive('a1', text);
      await settle();
    }
    expect(paid).toEqual([{ amount: 7 }, { amount: 5 }]);
    expect(chat.texts.slice(2)).toEqual(['Paid 7.', 'Paid 5.']);
  });

  it('sends what the agent says when a question has expired, and nothing if it was answered (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const tool = new FunctionTool({
      ...{ name: 'pay', description: 'Pays.', parameters: {}, requireConfirmation: true, confirmationTtlMs: 60_000 },
      execute: (args) => paid.push(args),
    });
    const llm = new ScriptedLlm(calls('pay'), says('Too late.'), calls('pay'), says('Paid.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [tool] });
    await chat.receive('a1', 'pay');
    await settle();
    await runtime.advance(61_000);
    await settle();
    expect(chat.texts.slice(1)).toEqual(['Too late.']);
    for (const text of ['pay again', 'yes']) {
      await chat.receive('a1', text);
      await settle();
    }
    await runtime.advance(61_000);
    await settle();
    expect(paid).toHaveLength(1);
    expect(chat.texts.slice(3)).toEqual(['Paid.']);
  });

  it('answers a question once when the yes is delivered again (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('Paid.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    await chat.receive('a1', 'pay 5');
    await settle();
    await chat.receive('a1', 'yes', { id: 'answer' });
    await settle();
    await chat.receive('a1', 'yes', { id: 'answer' });
    await settle();
    expect(paid).toHaveLength(1);
    expect(chat.texts).toHaveLength(2);
  });

  it('uses the next text as the answer to an input, and requests another if it is invalid', async () => {
    const runtime = new FixedRuntime();
    const answers: unknown[] = [];
    const book = new FunctionTool({
      name: 'book',
      description: 'Books a room.',
      parameters: { type: 'object' },
      execute: async (_, context) => {
        const nights = await context.requestInput({
          message: 'How many nights?',
          responseSchema: { type: 'integer' },
        });
        answers.push(nights);
        return { nights: nights as number };
      },
    });
    const llm = new ScriptedLlm(calls('book', {}), says('Booked.'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [book] });
    await chat.receive('a1', 'book a room');
    await settle();
    await chat.receive('a1', 'some');
    await settle();
    await chat.receive('a1', '3');
    await settle();
    expect(chat.texts).toEqual(['How many nights?', expect.stringContaining('does not fit'), 'Booked.']);
    expect(answers).toEqual([3]);
  });

  it('ignores an answer of another user (contract 45)', async () => {
    const runtime = new FixedRuntime();
    const paid: unknown[] = [];
    const llm = new ScriptedLlm(calls('pay', { amount: 5 }), says('Yes what?'));
    const { chat, settle } = await startAssistant({ llm, runtime, tools: [payTool(paid)] });
    await chat.receive('a1', 'pay 5');
    await settle();
    await chat.receive('b1', 'yes');
    await settle();
    expect(paid).toEqual([]);
    expect(chat.accepted.at(-1)).toMatchObject({ to: 'b1', text: 'Yes what?' });
  });
});
