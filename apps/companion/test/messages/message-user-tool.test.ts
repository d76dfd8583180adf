import { InMemoryIdentityStore } from '@thole/channels';
import type { SendToUserRequest } from '@thole/channels';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import type { JsonObject } from '@thole/core';
import { getFunctionResponses } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { defaultMessagePolicy } from '../../src/messages/message-policy.ts';
import { messageUserTool } from '../../src/messages/message-user-tool.ts';

/** Ann (admin), Bob (user) and Guy (guest), who know what this memory says. */
async function people(p: { memory?: string | undefined; phoneChannel?: string | undefined } = {}) {
  const runtime = new FixedRuntime();
  const identities = new InMemoryIdentityStore({ runtime });
  for (const [id, role] of [
    ['ann', 'admin'],
    ['bob', 'user'],
    ['guy', 'guest'],
  ] as const)
    await identities.create({ id, name: id[0]!.toUpperCase() + id.slice(1), role });
  const memoryService = new InMemoryMemoryService({ runtime });
  for (const userId of ['ann', 'bob'])
    if (p.memory !== undefined) await memoryService.addMemory({ appName: 'companion', userId, memory: p.memory });
  const sent: SendToUserRequest[] = [];
  const send = async (request: SendToUserRequest): Promise<void> => void sent.push(request);
  const phoneChannel = 'phoneChannel' in p ? p.phoneChannel : 'whatsapp';
  const tool = messageUserTool({ identities, send, policy: defaultMessagePolicy, phoneChannel: () => phoneChannel });
  const sessionService = new InMemorySessionService({ runtime });
  function runnerFor(args: JsonObject) {
    const model = new ScriptedLlm(calls('message_user', args), says('Done.'));
    const agent = new LlmAgent({ name: 'companion', model, tools: [tool] });
    return new Runner({ appName: 'companion', agent, sessionService, memoryService, runtime, autoCreateSession: true });
  }
  /** Lets the model call the tool for a user, and returns the answer of the tool. */
  async function call(userId: string, args: JsonObject, answer?: boolean) {
    const runner = runnerFor(args);
    const session = { userId, sessionId: `${userId}:http` };
    let run = await runner.runToCompletion({ ...session, newMessage: 'Go.' });
    const [asked] = run.interrupts;
    if (asked && answer !== undefined)
      run = await runner.runToCompletion({ ...session, ...answerTo(asked.id, asked.invocationId, answer) });
    const { events } = (await sessionService.getSession({ appName: 'companion', ...session }))!;
    const responses = events.flatMap((event) => getFunctionResponses(event)).filter(({ name }) => name === tool.name);
    return { asked: asked?.message, response: responses.at(-1)?.response, status: run.status };
  }
  return { call, identities, sent };
}

function answerTo(id: string, invocationId: string, confirmed: boolean) {
  const functionResponse = { id, name: 'adk_request_confirmation', response: { confirmed } };
  return { invocationId, newMessage: { role: 'user' as const, parts: [{ functionResponse }] } };
}

describe('message_user', () => {
  it('sends to a user by name, at once for an admin, with the idempotency key of the call', async () => {
    const { call, sent } = await people();
    const { asked, response } = await call('ann', { recipient: 'bob', text: 'Dinner at 8?' });
    expect([asked, response]).toEqual([undefined, { sent: true, to: 'Bob' }]);
    expect(sent).toEqual([
      { userId: 'bob', message: 'Ann: Dinner at 8?', idempotencyKey: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('sends to a number that only memory contains, and makes its owner a guest', async () => {
    const { call, identities, sent } = await people({ memory: 'Edda is my girlfriend, +49 171 2345678.' });
    expect((await call('ann', { recipient: 'girlfriend', text: 'Hi.' })).response).toEqual({
      sent: true,
      to: '+491712345678',
    });
    const guest = await identities.find({ channel: 'whatsapp', sender: '491712345678' });
    expect([guest?.role, sent[0]?.userId]).toEqual(['guest', guest?.id]);
    await call('ann', { recipient: '+49 171 2345678', text: 'Hi again.' });
    expect(sent.map(({ userId }) => userId)).toEqual([guest?.id, guest?.id]);
  });

  it('returns a question and sends nothing without one clear match', async () => {
    const { call, sent } = await people({ memory: 'Brothers: Jan 0171 1111111, Tom 0171 2222222.' });
    expect((await call('ann', { recipient: 'brothers', text: 'Hi.' })).response).toMatchObject({
      candidates: ['01711111111', '01712222222'],
    });
    expect((await call('ann', { recipient: 'aunt', text: 'Hi.' })).response).toMatchObject({
      ask: expect.stringContaining('No person'),
    });
    // Callers send nothing to themselves.
    expect((await call('ann', { recipient: 'Ann', text: 'Hi.' })).response).toMatchObject({
      ask: expect.stringContaining('No person'),
    });
    expect(sent).toEqual([]);
  });

  it('asks a user for a confirmation, and sends only after approval', async () => {
    const { call, sent } = await people();
    const refused = await call('bob', { recipient: 'Ann', text: 'I love you.' }, false);
    expect(refused.asked).toBe('Send to Ann: “I love you.”?');
    expect(refused.response).toMatchObject({ error: expect.any(String) });
    expect(sent).toEqual([]);
    const confirmed = await call('bob', { recipient: 'Ann', text: 'I love you.' }, true);
    expect(confirmed).toMatchObject({ response: { sent: true, to: 'Ann' }, status: 'completed' });
    expect(sent).toHaveLength(1);
  });

  it('refuses guests, and does not search the memory of others', async () => {
    const { call, sent } = await people({ memory: 'Edda is my girlfriend, +49 171 2345678.' });
    expect((await call('guy', { recipient: 'Ann', text: 'Buy!' })).response).toMatchObject({
      error: expect.stringContaining('may not send'),
    });
    expect(sent).toEqual([]);
  });

  it('lets an admin confirm a guest who was found by name, because guests choose their names', async () => {
    const { call, identities, sent } = await people({ memory: 'The number of Mom is +49 171 2345678.' });
    await identities.create({ name: 'Mom', role: 'guest', identities: [{ channel: 'telegram', sender: '42' }] });
    const refused = await call('ann', { recipient: 'Mom', text: 'The code is 1234.' }, false);
    expect(refused.asked).toBe('Send to Mom (guest, telegram 42): “The code is 1234.”?');
    expect(sent).toEqual([]);
    expect((await call('ann', { recipient: 'Mom', text: 'Hi.' }, true)).response).toMatchObject({ sent: true });
    expect(sent).toHaveLength(1);
  });

  it('returns an error for the number of a stranger if no channel reaches numbers', async () => {
    const { call, sent } = await people({ phoneChannel: undefined });
    expect((await call('ann', { recipient: '0171 2345678', text: 'Hi.' })).response).toMatchObject({
      error: expect.stringContaining('no channel'),
    });
    expect(sent).toEqual([]);
  });
});
