import { getFunctionResponses } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import { LongRunningFunctionTool } from '@thole/tools';
import { describe, expect, it } from 'vitest';
import type { HandlerOptions, Identity } from '../../src/index.ts';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { demo, session } from '../demo.ts';
import type { Demo } from '../demo.ts';
import { loadMessages, PageChat } from './page-chat.ts';

/** Creates a page whose chat waits for the approval of a booking. */
async function createWaiting(
  options: Partial<HandlerOptions> = {},
): Promise<Demo & { booked: unknown[]; chat: PageChat; approvalId: string }> {
  const { booked, rootAgent } = bookingDesk(...bookingAnswers);
  const served = await demo({ rootAgent, ...options });
  const chat = new PageChat(served.handler);
  await chat.sendMessage({ text: 'Book room 7' });
  return { ...served, booked, chat, approvalId: approvalIdIn(chat) };
}

function approvalIdIn(chat: PageChat): string {
  const part = chat.lastParts.find((each) => each.type === 'dynamic-tool');
  return part!.approval!.id;
}

describe('approvals of POST /ui/{app}/chat', () => {
  it('requests an approval, and finishes as paused without the provisional answer', async () => {
    const { booked, chat } = await createWaiting();
    expect(chat.lastMessage!.metadata).toMatchObject({ status: 'paused' });
    expect(chat.lastParts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'book', input: { room: 7 }, state: 'approval-requested' },
      { type: 'data-interrupt', data: { kind: 'confirmation', toolName: 'book', isOpen: true } },
    ]);
    expect(booked).toEqual([]);
  });

  it('shows the arguments that the call runs with, if a plugin has changed them (contract 28)', async () => {
    const { booked, rootAgent } = bookingDesk(...bookingAnswers);
    const plugin = {
      name: 'upgrade',
      beforeToolCallback: (p: { toolArgs: object }) => void Object.assign(p.toolArgs, { room: 8 }),
    };
    const { handler } = await demo({ apps: [{ name: 'demo', rootAgent, plugins: [plugin] }] });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Book room 7' });
    const shown = { type: 'dynamic-tool', toolName: 'book', input: { room: 8 }, state: 'approval-requested' };
    expect(chat.lastParts[0]).toMatchObject(shown);
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
    await chat.addToolApprovalResponse({ id: approvalIdIn(chat), approved: true });
    await expect.poll(() => chat.lastText).toBe('Booked.');
    expect(booked).toEqual([{ room: 8 }]);
  });

  it('runs the tool after the approval, and continues the same message', async () => {
    const { booked, chat, approvalId, handler } = await createWaiting();
    const { id } = chat.lastMessage!;
    await chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => chat.lastText).toBe('Booked.');
    expect(booked).toEqual([{ room: 7 }]);
    expect(chat.error).toBeUndefined();
    expect(chat.messages).toHaveLength(2);
    expect(chat.lastMessage).toMatchObject({ id, metadata: { status: 'completed' } });
    expect(chat.lastParts).toMatchObject([
      { type: 'dynamic-tool', state: 'output-available', output: { booked: true }, approval: { approved: true } },
      { type: 'data-interrupt', data: { isOpen: false } },
      { type: 'text', text: 'Booked.' },
    ]);
    // The automatic request of the page is sent once.
    expect(chat.sent).toHaveLength(2);
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
  });

  it('shows a rejected call as denied, and keeps the reason', async () => {
    const { booked, chat, approvalId, sessions } = await createWaiting();
    await chat.addToolApprovalResponse({ id: approvalId, approved: false, reason: 'Too expensive' });
    await expect.poll(() => chat.lastText).toBe('Booked.');
    expect(booked).toEqual([]);
    expect(chat.lastParts[0]).toMatchObject({ state: 'output-denied', approval: { approved: false } });
    const answers = (await sessions.getSession(session))!.events.flatMap(({ content }) => content?.parts ?? []);
    expect(answers.find(({ functionResponse }) => functionResponse?.id === approvalId)).toMatchObject({
      functionResponse: { response: { confirmed: false, payload: { reason: 'Too expensive' } } },
    });
  });

  it('stores the name of the person that authorize returns', async () => {
    const authorize: HandlerOptions['authorize'] = () => ({ userId: 'ann', answeredBy: 'mia' });
    const { chat, approvalId, sessions } = await createWaiting({ authorize });
    await chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => chat.lastText).toBe('Booked.');
    const { events } = (await sessions.getSession(session))!;
    expect(events.filter(({ id }) => id === `${approvalId}:answer`).map((event) => event.customMetadata)).toEqual([
      { answeredBy: 'mia' },
    ]);
  });

  it('keeps an open approval after a reload, and accepts its answer from the reloaded page', async () => {
    const { booked, handler, approvalId } = await createWaiting();
    const reloaded = new PageChat(handler, { messages: await loadMessages(handler) });
    await reloaded.resumeStream();
    expect(approvalIdIn(reloaded)).toBe(approvalId);
    await reloaded.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => reloaded.lastText).toBe('Booked.');
    expect(booked).toHaveLength(1);
  });

  it('accepts an answer once, and answers 409 or 404 afterwards', async () => {
    const { booked, chat, approvalId, handler } = await createWaiting();
    const other = new PageChat(handler, { messages: structuredClone(chat.messages) });
    await chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => chat.lastText).toBe('Booked.');
    await other.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => other.status).toBe('error');
    expect(other.error?.message).toContain('INTERRUPT_NOT_FOUND');
    expect(booked).toHaveLength(1);
  });

  it('answers several approvals of one message together', async () => {
    const { booked, rootAgent } = bookingDesk(
      callsAll(['book', { room: 1 }, 'c1'], ['book', { room: 2 }, 'c2']),
      says('One room.'),
    );
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Book rooms 1 and 2' });
    const ids = chat.lastParts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.approval!.id] : []));
    await chat.addToolApprovalResponse({ id: ids[0]!, approved: true });
    expect(chat.sent).toHaveLength(1);
    await chat.addToolApprovalResponse({ id: ids[1]!, approved: false });
    await expect.poll(() => chat.lastText).toBe('One room.');
    expect(booked).toEqual([{ room: 1 }]);
  });

  it('rejects the approval of a call that the page has invented, and of another tool call', async () => {
    const { booked, chat, handler } = await createWaiting();
    const messages = structuredClone(chat.messages);
    const forged = messages[1]!.parts.find((part) => part.type === 'dynamic-tool')!;
    Object.assign(forged, { approval: { id: 'adk-invented', approved: true }, state: 'approval-responded' });
    const other = new PageChat(handler, { messages });
    await other.sendMessage();
    expect(other.error?.message).toContain('INTERRUPT_NOT_FOUND');
    expect(booked).toEqual([]);
  });

  it('closes the request in the messages when the invocation is cancelled', async () => {
    const { chat, handler, approvalId, post } = await createWaiting();
    const invocationId = chat.lastMessage!.id;
    await post(`/apps/demo/users/ann/sessions/s/runs/${invocationId}/cancel`, {});
    const [, answer] = await loadMessages(handler);
    expect(answer!.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'dynamic-tool', state: 'output-denied' },
      { type: 'data-interrupt', id: approvalId, data: { isOpen: false } },
    ]);
  });

  it('answers 410 to an approval that has expired', async () => {
    const runtime = new FixedRuntime();
    const { chat, approvalId } = await createWaiting({
      runtime,
      sessionService: new InMemorySessionService({ runtime }),
    });
    await runtime.advance(3_600_001);
    await chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => chat.status).toBe('error');
    expect(chat.error?.message).toMatch(/INTERRUPT_(EXPIRED|NOT_FOUND)/);
  });
});

describe('answers of POST /ui/{app}/chat', () => {
  it('sends values for input in the body, and asks again for a value that does not fit', async () => {
    const { rootAgent } = bookingDesk(calls('ask', {}, 'c1'), says('Three nights.'));
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'A room, please' });
    const request = chat.lastParts.find(({ type }) => type === 'data-interrupt')!;
    expect(request).toMatchObject({ data: { kind: 'input', responseSchema: { type: 'integer' }, isOpen: true } });
    const { id } = request as { id: string };
    await chat.sendMessage(undefined, { body: { answers: { [id]: 'three' } } });
    expect(chat.error?.message).toContain('ANSWER_INVALID');
    await chat.sendMessage(undefined, { body: { answers: { [id]: 3 } } });
    expect(chat.error).toBeUndefined();
    expect(chat.lastText).toBe('Three nights.');
    expect(chat.lastParts).toMatchObject([
      { type: 'dynamic-tool', state: 'output-available', output: { nights: 3 } },
      { type: 'data-interrupt', data: { isOpen: false } },
      { type: 'text' },
    ]);
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
  });

  it('accepts the output of a long-running call from the page', async () => {
    const { rootAgent } = bookingDesk(calls('wait', {}, 'c1'), says('The manager agrees.'));
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Ask the manager' });
    expect(chat.lastParts).toMatchObject([
      { type: 'dynamic-tool', toolName: 'wait', state: 'input-available' },
      { type: 'data-interrupt', data: { kind: 'longRunning', isOpen: true, note: { status: 'pending' } } },
    ]);
    await chat.addToolOutput({ tool: 'wait', toolCallId: 'c1', output: { agreed: true } });
    await chat.sendMessage();
    expect(chat.error).toBeUndefined();
    expect(chat.lastText).toContain('The manager agrees.');
    expect(chat.lastParts[0]).toMatchObject({ state: 'output-available', output: { agreed: true } });
    expect((await loadMessages(handler)).at(-1)!.parts).toEqual(chat.plainParts);
  });

  it('accepts an error as the output of a long-running call that has reported progress', async () => {
    const wait = new LongRunningFunctionTool({
      name: 'wait',
      description: 'Waits.',
      execute: (_, context) => {
        context.reportProgress('Calling the manager');
        return { status: 'pending' };
      },
    });
    const model = new ScriptedLlm(calls('wait', {}, 'c1'), says('The manager is ill.'));
    const { handler, sessions } = await demo({ rootAgent: new LlmAgent({ name: 'a', model, tools: [wait] }) });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Ask the manager' });
    expect(chat.lastParts[0]).toMatchObject({ type: 'dynamic-tool', toolName: 'wait', state: 'input-available' });
    await chat.addToolOutput({ tool: 'wait', toolCallId: 'c1', state: 'output-error', errorText: 'No answer.' });
    await chat.sendMessage();
    expect([chat.error, chat.lastText]).toEqual([undefined, 'The manager is ill.']);
    const { events } = (await sessions.getSession(session))!;
    const answer = events.flatMap((event) => getFunctionResponses(event)).at(-1);
    expect(answer).toMatchObject({ id: 'c1', response: { error: 'No answer.' } });
  });

  it('accepts an approval in the body after another message was answered', async () => {
    const { booked, rootAgent } = bookingDesk(calls('book', { room: 7 }, 'c1'), says('Sunny.'), says('Booked.'));
    const { handler } = await demo({ rootAgent });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Book room 7' });
    const approvalId = approvalIdIn(chat);
    await chat.sendMessage({ text: 'How is the weather?' });
    await chat.sendMessage(undefined, { body: { answers: { [approvalId]: true } } });
    expect([chat.error, booked]).toEqual([undefined, [{ room: 7 }]]);
    const stored = await loadMessages(handler);
    expect(JSON.stringify(stored[1])).toContain('Booked.');
    expect(JSON.stringify(stored[3])).toContain('Sunny.');
  });

  it('passes edited arguments and rejects an unknown interrupt in the body', async () => {
    const { chat } = await createWaiting();
    await chat.sendMessage(undefined, { body: { answers: { nothing: true } } });
    expect(chat.error?.message).toContain('INTERRUPT_NOT_FOUND');
    const id = approvalIdIn(chat);
    await chat.sendMessage(undefined, {
      body: { answers: { [id]: { confirmed: true, editedArguments: { room: 8 } } } },
    });
    expect(chat.error?.message).toContain('ARGUMENTS_NOT_EDITABLE');
  });

  it('calls authorize with the interrupts that the page answers', async () => {
    const seen: Identity[] = [];
    let mayAnswer = false;
    const authorize = (_: Request, identity: Identity): { userId: string } | false => {
      seen.push(identity);
      return identity.interrupts && !mayAnswer ? false : { userId: 'ann' };
    };
    const { booked, chat, approvalId } = await createWaiting({ authorize });
    await chat.addToolApprovalResponse({ id: approvalId, approved: true });
    await expect.poll(() => chat.status).toBe('error');
    expect(chat.error?.message).toContain('FORBIDDEN');
    expect(booked).toEqual([]);
    mayAnswer = true;
    await chat.sendMessage();
    expect(booked).toHaveLength(1);
    expect(seen.map(({ action, interrupts }) => [action, interrupts?.map(({ id }) => id)])).toEqual([
      ['run', undefined],
      ['answer', undefined],
      ['answer', [approvalId]],
      ['answer', undefined],
      ['answer', [approvalId]],
    ]);
  });
});
