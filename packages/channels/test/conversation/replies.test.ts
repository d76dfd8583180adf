import { createEvent } from '@thole/core';
import type { Content, EventInit, Interrupt, InterruptKind } from '@thole/core';
import { FixedRuntime } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { OutboundMessage } from '../../src/index.ts';
import { defaultTexts } from '../../src/index.ts';
import { Replies } from '../../src/conversation/replies.ts';

const runtime = new FixedRuntime();
const ref = { appName: 'app', userId: 'ada', sessionId: 'ada:chat' };

async function sent(content: Content, more: Partial<EventInit> = {}): Promise<OutboundMessage[]> {
  const messages: OutboundMessage[] = [];
  const replies = new Replies(ref, defaultTexts, async (_, message) => void messages.push(message));
  const event = createEvent({ author: 'companion', invocationId: 'i1', content, ...more }, runtime);
  expect(await replies.sendEvent(event)).toBe(messages.length === 1);
  return messages;
}

describe('Replies.sendEvent', () => {
  it('sends only final answers, not events of the user, thoughts, partial texts or calls', async () => {
    const text = { role: 'model' as const, parts: [{ text: 'Hello.' }] };
    expect(await sent(text)).toEqual([{ text: 'Hello.' }]);
    expect(await sent(text, { author: 'user' })).toEqual([]);
    expect(await sent(text, { partial: true })).toEqual([]);
    expect(await sent({ role: 'model', parts: [{ text: 'Hm.', thought: true }] })).toEqual([]);
    const call = { functionCall: { id: 'c', name: 'look', args: {} } };
    expect(await sent({ role: 'model', parts: [{ text: 'Let me look.' }, call] })).toEqual([]);
  });

  it('sends the files of an answer', async () => {
    const inlineData = { data: 'aGk=', mimeType: 'image/png', displayName: 'cat.png' };
    const files = [{ data: 'aGk=', mimeType: 'image/png', name: 'cat.png' }];
    expect(await sent({ role: 'model', parts: [{ inlineData }] })).toEqual([{ text: '', files }]);
  });

  it('uses the same key for the same event, and different keys for different events', async () => {
    const keys: string[] = [];
    const replies = new Replies(ref, defaultTexts, async (key) => void keys.push(key));
    const content = { role: 'model' as const, parts: [{ text: 'Hello.' }] };
    const [one, two] = [1, 2].map(() => createEvent({ author: 'a', invocationId: 'i1', content }, runtime));
    for (const event of [one!, two!, one!]) await replies.sendEvent(event);
    expect(keys[0]).toBe(keys[2]);
    expect(keys[0]).not.toBe(keys[1]);
  });
});

describe('Replies.sendRun', () => {
  const answer = { content: { role: 'model' as const, parts: [{ text: 'Hello.' }] } };
  const refused = { errorCode: 'SAFETY' };
  const textsOf = async (events: readonly Partial<EventInit>[], texts = defaultTexts): Promise<string[]> => {
    const sentTexts: string[] = [];
    const replies = new Replies(ref, texts, async (_, { text }) => void sentTexts.push(text));
    await replies.sendRun(events.map((each) => createEvent({ author: 'a', invocationId: 'i1', ...each }, runtime)));
    return sentTexts;
  };

  it('sends texts.failed after the answers only if an error is the last of them (contract 45)', async () => {
    expect(await textsOf([answer, refused])).toEqual(['Hello.', defaultTexts.failed]);
    expect(await textsOf([refused, answer])).toEqual(['Hello.']);
    expect(await textsOf([refused, { errorCode: 'RUN_ABORTED' }])).toEqual([]);
  });

  it.each(['RUN_ABORTED', 'RUN_INTERRUPTED', 'RUN_LEFT', 'RUN_SUPERSEDED'])('does not report %s', async (errorCode) => {
    expect(await textsOf([{ errorCode }])).toEqual([]);
  });

  it('does not send an empty texts.failed', async () => {
    expect(await textsOf([refused], { ...defaultTexts, failed: '' })).toEqual([]);
  });
});

describe('Replies.sendNote', () => {
  it('marks the answer of a command as plain text', async () => {
    const messages: OutboundMessage[] = [];
    const replies = new Replies(ref, defaultTexts, async (_, message) => void messages.push(message));
    await replies.sendNote('command', 'k', '/task <text>: **no** Markdown');
    await replies.sendNote('failed', 'k', 'Try **again**.');
    expect(messages).toEqual([
      { text: '/task <text>: **no** Markdown', isPlainText: true },
      { text: 'Try **again**.' },
    ]);
  });
});

describe('Replies.sendQuestion', () => {
  it('sends the sign-ins before the first question, and no further question (contract 45)', async () => {
    const texts: string[] = [];
    const replies = new Replies(ref, defaultTexts, async (_, { text }) => void texts.push(text));
    const interrupt = (kind: InterruptKind, more: Partial<Interrupt>): Interrupt => ({
      ...{ id: kind, kind, invocationId: 'i1', agentName: 'companion', createdAt: 1 },
      ...more,
    });
    await replies.sendQuestion([
      interrupt('timer', {}),
      interrupt('credential', { payload: { authUri: 'https://bank.example/sign-in' } }),
      interrupt('confirmation', { toolName: 'pay', args: { amount: 5 } }),
      interrupt('input', { message: 'How many?' }),
    ]);
    expect(texts).toEqual(['Please sign in: https://bank.example/sign-in', 'pay {"amount":5}\n(yes / no)']);
  });
});
