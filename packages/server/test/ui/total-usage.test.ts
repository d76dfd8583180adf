import { silentLogger } from '@thole/core';
import { AgentTool, LlmAgent } from '@thole/runner';
import { calls, fails, says, ScriptedLlm, streams } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { FunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import { demo } from '../demo.ts';
import { loadMessages, PageChat } from './page-chat.ts';

const used = (input: number, output: number): object => ({
  usageMetadata: { promptTokenCount: input, candidatesTokenCount: output },
});

/** An agent with a tool that asks for approval. */
function createBookingAgent(...answers: readonly ScriptedAnswer[]): LlmAgent {
  const book = new FunctionTool({
    ...{ name: 'book', description: 'Books a room.', requireConfirmation: true, execute: () => ({ booked: true }) },
  });
  return new LlmAgent({ name: 'clerk', model: new ScriptedLlm(...answers), tools: [book] });
}

describe('totalUsage of a useChat message', () => {
  it('has the tokens of all model calls in the form of the AI SDK, also after a reload', async () => {
    const answer = streams('Good ', 'day.');
    answer.push({
      ...answer.pop()!,
      usageMetadata: {
        ...{ promptTokenCount: 20, toolUsePromptTokenCount: 1, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
        ...{ cachedContentTokenCount: 8, cacheCreationTokenCount: 4 },
      },
    });
    const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => ({ sky: 'clear' }) });
    const model = new ScriptedLlm({ ...calls('look', {}, 'c1'), ...used(10, 1) }, answer);
    const { handler } = await demo({ rootAgent: new LlmAgent({ name: 'clerk', model, tools: [look] }) });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Hello' });
    const totalUsage = {
      inputTokens: 31,
      inputTokenDetails: { noCacheTokens: 19, cacheReadTokens: 8, cacheWriteTokens: 4 },
      outputTokens: 6,
      outputTokenDetails: { textTokens: 4, reasoningTokens: 2 },
      totalTokens: 37,
    };
    expect(chat.lastMessage!.metadata!.totalUsage).toEqual(totalUsage);
    expect((await loadMessages(handler)).at(-1)!.metadata!.totalUsage).toEqual(totalUsage);
  });

  it('counts an agent that runs as a tool', async () => {
    const expert = new LlmAgent({ name: 'expert', model: new ScriptedLlm({ ...says('42'), ...used(100, 1) }) });
    const model = new ScriptedLlm(
      { ...calls('expert', { request: 'Sum?' }, 'c1'), ...used(7, 1) },
      { ...says('It is 42.'), ...used(8, 1) },
    );
    const rootAgent = new LlmAgent({ name: 'clerk', model, tools: [new AgentTool({ agent: expert })] });
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Sum?' });
    const totalUsage = { inputTokens: 115, outputTokens: 3, totalTokens: 118 };
    expect(chat.lastMessage!.metadata).toMatchObject({ totalUsage });
    expect((await loadMessages(handler)).at(-1)!.metadata).toMatchObject({ totalUsage });
  });

  it('counts the calls before and after an approval', async () => {
    const rootAgent = createBookingAgent(
      { ...calls('book', {}, 'c1'), ...used(10, 1) },
      { ...says('Booked.'), ...used(20, 2) },
    );
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Book a room.' });
    expect(chat.lastMessage!.metadata).toMatchObject({ status: 'paused', totalUsage: { totalTokens: 11 } });
    const part = chat.lastParts.find(({ type }) => type === 'dynamic-tool') as { approval: { id: string } };
    await chat.addToolApprovalResponse({ id: part.approval.id, approved: true });
    await expect.poll(() => chat.lastMessage!.metadata!.status).toBe('completed');
    expect(chat.lastMessage!.metadata).toMatchObject({ totalUsage: { totalTokens: 33 } });
    expect((await loadMessages(handler)).at(-1)!.metadata).toMatchObject({ totalUsage: { totalTokens: 33 } });
  });

  it('does not count earlier messages of the chat', async () => {
    const { handler } = await demo({
      answers: [
        { ...says('One.'), ...used(10, 1) },
        { ...says('Two.'), ...used(20, 2) },
      ],
    });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: '1' });
    await chat.sendMessage({ text: '2' });
    const totals = (messages: PageChat['messages']): unknown[] =>
      messages.filter(({ role }) => role === 'assistant').map(({ metadata }) => metadata!.totalUsage!.totalTokens);
    expect(totals(chat.messages)).toEqual([11, 22]);
    expect(totals(await loadMessages(handler))).toEqual([11, 22]);
  });

  it('is sent before the error of a run that fails', async () => {
    const rootAgent = new LlmAgent({
      name: 'clerk',
      model: new ScriptedLlm({ ...calls('look', {}, 'c1'), ...used(10, 1) }, fails('MODEL_OVERLOADED')),
      tools: [new FunctionTool({ name: 'look', description: 'Looks.', execute: () => ({}) })],
    });
    const { handler } = await demo({ rootAgent, logger: silentLogger });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Hello' });
    expect(chat.error).toBeDefined();
    expect(chat.lastMessage!.metadata).toMatchObject({ totalUsage: { totalTokens: 11 } });
  });

  it('is in a stream that is read again from the event log', async () => {
    const { post } = await demo({ answers: [{ ...says('Good day.'), ...used(10, 1) }] });
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] }];
    const body = { id: 's', messages, trigger: 'submit-message' };
    const send = async (): Promise<string> => (await post('/ui/demo/chat?userId=ann', body)).text();
    const finish = /data: ({"type":"finish".*})\n/;
    const [first, again] = [await send(), await send()].map((text) => JSON.parse(finish.exec(text)![1]!) as object);
    expect(first).toMatchObject({ messageMetadata: { totalUsage: { totalTokens: 11 } } });
    expect(again).toEqual(first);
  });

  it('is missing if no model reports tokens', async () => {
    const { handler } = await demo({ answers: [says('Good day.')] });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Hello' });
    expect(chat.lastMessage!.metadata).not.toHaveProperty('totalUsage');
    expect((await loadMessages(handler)).at(-1)!.metadata).not.toHaveProperty('totalUsage');
  });
});
