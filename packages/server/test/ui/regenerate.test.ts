import { LlmAgent } from '@thole/runner';
import { fails, says, ScriptedLlm } from '@thole/testing';
import type { ScriptedAnswer } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/index.ts';
import { demo, session } from '../demo.ts';
import type { Demo } from '../demo.ts';
import { loadMessages, PageChat } from './page-chat.ts';

async function createChat(
  ...answers: readonly ScriptedAnswer[]
): Promise<Demo & { chat: PageChat; model: ScriptedLlm }> {
  const model = new ScriptedLlm(...answers);
  const served = await demo({ rootAgent: new LlmAgent({ name: 'a', model }) });
  return { ...served, model, chat: new PageChat(served.handler) };
}

const textsOf = (messages: PageChat['messages']): string[] =>
  messages.map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));

describe('regenerate of POST /ui/{app}/chat', () => {
  it('removes the last answer and answers its message again, several times', async () => {
    const { chat, handler, model, sessions } = await createChat(says('One.'), says('Two.'), says('Three.'));
    await chat.sendMessage({ text: 'Count' });
    const first = chat.lastMessage!.id;
    await chat.regenerate();
    await chat.regenerate({ messageId: chat.lastMessage!.id });
    expect(chat.error).toBeUndefined();
    expect(textsOf(chat.messages)).toEqual(['Count', 'Three.']);
    expect(chat.lastMessage!.id).not.toBe(first);
    expect(model.requests.map(({ contents }) => contents.length)).toEqual([1, 1, 1]);
    // The page receives its own ids again.
    const loaded = await loadMessages(handler);
    expect(loaded.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id));
    expect(textsOf(loaded)).toEqual(['Count', 'Three.']);
    expect(
      (await sessions.getSession(session))!.events.some(({ content }) => content?.parts?.[0]?.text === 'One.'),
    ).toBe(true);
  });

  it.each(['rewind', 'run'])('answers 403 and removes nothing if authorize denies the action %s', async (denied) => {
    const { handler, sessions } = await createChat(says('One.'));
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Count' });
    const { events } = (await sessions.getSession(session))!;
    const authorize = (_: Request, { action }: Identity): boolean => action !== denied;
    const next = await demo({ answers: [says('Two.')], sessionService: sessions, authorize, isNext: true });
    const other = new PageChat(next.handler, { messages: chat.messages });
    await other.regenerate();
    expect(other.error?.message).toContain('FORBIDDEN');
    expect((await sessions.getSession(session))!.events).toEqual(events);
  });

  it('answers 404 if no stored message belongs to the answer', async () => {
    const { post } = await createChat();
    const messages = [{ id: 'x', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] }];
    const body = { id: 's', trigger: 'regenerate-message', messageId: 'x', messages };
    const response = await post('/ui/demo/chat?userId=ann', body);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      404,
      'INVOCATION_NOT_FOUND',
    ]);
  });

  it('answers an earlier message again, and removes everything after it', async () => {
    const { chat, handler, model } = await createChat(says('One.'), says('Two.'), says('Again.'));
    await chat.sendMessage({ text: 'First' });
    await chat.sendMessage({ text: 'Second' });
    await chat.regenerate({ messageId: chat.messages[1]!.id });
    expect(textsOf(chat.messages)).toEqual(['First', 'Again.']);
    expect(textsOf(await loadMessages(handler))).toEqual(['First', 'Again.']);
    expect(model.requests[2]!.contents).toHaveLength(1);
  });

  it('replaces a message that the page has edited', async () => {
    const { chat, handler, model } = await createChat(says('One.'), says('Two.'));
    await chat.sendMessage({ text: 'First' });
    const { id } = chat.messages[0]!;
    await chat.sendMessage({ text: 'Edited', messageId: id });
    expect(chat.error).toBeUndefined();
    expect(textsOf(chat.messages)).toEqual(['Edited', 'Two.']);
    expect(model.requests[1]!.contents).toMatchObject([{ parts: [{ text: 'Edited' }] }]);
    const loaded = await loadMessages(handler);
    expect(loaded.map((each) => each.id)).toEqual([id, chat.lastMessage!.id]);
    // The same message starts no further run.
    await chat.sendMessage({ text: 'Edited', messageId: id });
    expect(textsOf(chat.messages)).toEqual(['Edited', 'Two.']);
    expect(model.requests).toHaveLength(2);
  });

  it('answers a message whose run has failed, or that was never stored', async () => {
    const { chat, handler } = await createChat(fails('MODEL_OVERLOADED'), says('Better.'));
    await chat.sendMessage({ text: 'Hello' });
    expect(chat.status).toBe('error');
    await chat.regenerate();
    expect([chat.error, chat.lastText]).toEqual([undefined, 'Better.']);
    expect(textsOf(await loadMessages(handler))).toEqual(['Hello', 'Better.']);
    const { chat: other } = await createChat(says('Hello.'));
    other.messages = [{ id: 'never-sent', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    await other.regenerate();
    expect([other.error, other.lastText]).toEqual([undefined, 'Hello.']);
  });

  it('needs the actions rewind and run', async () => {
    const actions: string[] = [];
    const authorize = (_: Request, { action }: Identity): boolean => (actions.push(action), action !== 'rewind');
    const model = new ScriptedLlm(says('One.'));
    const { handler } = await demo({ rootAgent: new LlmAgent({ name: 'a', model }), authorize });
    const chat = new PageChat(handler);
    await chat.sendMessage({ text: 'Hello' });
    await chat.regenerate();
    expect(chat.error?.message).toContain('FORBIDDEN');
    await chat.sendMessage({ text: 'Edited', messageId: chat.messages[0]!.id });
    expect(chat.error?.message).toContain('FORBIDDEN');
    expect(actions).toEqual(['run', 'rewind', 'run', 'rewind']);
    expect(textsOf(await loadMessages(handler))).toEqual(['Hello', 'One.']);
  });
});
