import { LlmAgent } from '@thole/runner';
import { FixedRuntime, calls, callsAll, says, ScriptedLlm, streams } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { ClientToolset } from '../../src/index.ts';
import { bookingAnswers, bookingDesk } from '../booking-desk.ts';
import { agUiDemo, eventsOf, newClient, outcomeOf } from './ag-ui-client.ts';

const ref = { appName: 'demo', userId: 'user', sessionId: 't' };
const showMap = {
  name: 'show_map',
  description: 'Shows a map.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

describe('POST /ag-ui/:app with resume', () => {
  it('shows the arguments that the call runs with, if a plugin has changed them (contract 28)', async () => {
    const { rootAgent } = bookingDesk(...bookingAnswers);
    const plugin = {
      name: 'upgrade',
      beforeToolCallback: (p: { toolArgs: object }) => void Object.assign(p.toolArgs, { room: 8 }),
    };
    const { send, client } = agUiDemo({ apps: [{ name: 'demo', rootAgent, plugins: [plugin] }] });
    await send('Book room 7.');
    expect(client.pendingInterrupts[0]).toMatchObject({ metadata: { toolName: 'book', args: { room: 8 } } });
  });

  it('ends with an interrupt that the next run answers by its id', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const runtime = new FixedRuntime({ now: 4_000_000_000 });
    const { send, run, client, sessions } = agUiDemo({ rootAgent, runtime });
    const events = await send('Book room 7.', { runId: 'r1' });
    const [interrupt] = client.pendingInterrupts;
    expect(outcomeOf(events)).toEqual({ type: 'interrupt', interrupts: [interrupt] });
    expect(interrupt).toMatchObject({
      reason: 'confirmation',
      toolCallId: 'c1',
      expiresAt: '2096-10-02T08:06:40.000Z',
      responseSchema: { type: 'object', required: ['confirmed'] },
      metadata: { toolName: 'book', args: { room: 7 } },
    });
    const resume = [{ interruptId: interrupt!.id, status: 'resolved' as const, payload: { confirmed: true } }];
    expect(outcomeOf(await run({ runId: 'r2', resume }))).toEqual({ type: 'success' });
    expect(booked).toEqual([{ room: 7 }]);
    expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const stored = (await sessions.getSession(ref))!.events;
    expect(new Set(stored.map(({ invocationId }) => invocationId)).size).toBe(1);
    expect(new Set(stored.map(({ customMetadata }) => customMetadata?.['agUiRunId']))).toEqual(new Set(['r1', 'r2']));
  });

  it.each([{ approved: true }, true, undefined])('accepts the payload %j as an approval', async (payload) => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const { send, run, client } = agUiDemo({ rootAgent });
    await send('Book room 7.');
    await run({ resume: [{ interruptId: client.pendingInterrupts[0]!.id, status: 'resolved', payload }] });
    expect(booked).toEqual([{ room: 7 }]);
  });

  it('declines a confirmation that is cancelled', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const { send, run, client } = agUiDemo({ rootAgent });
    await send('Book room 7.');
    const resume = [{ interruptId: client.pendingInterrupts[0]!.id, status: 'cancelled' as const }];
    expect(outcomeOf(await run({ resume }))).toEqual({ type: 'success' });
    expect(booked).toEqual([]);
  });

  it('ignores the cancellation of an expired confirmation, which the system answers', async () => {
    const { rootAgent, booked } = bookingDesk(...bookingAnswers);
    const first = agUiDemo({ rootAgent });
    await first.send('Book room 7.');
    const runtime = new FixedRuntime({ now: 4_000_000_000 });
    const later = agUiDemo({ rootAgent, runtime, sessionService: first.sessions });
    const interruptId = first.client.pendingInterrupts[0]!.id;
    const events = await later.run({ resume: [{ interruptId, status: 'cancelled' }] });
    expect(outcomeOf(events)).toEqual({ type: 'success' });
    expect(events.map(({ delta }) => delta as string).join('')).toBe('Booked.');
    expect(booked).toEqual([]);
  });

  it('sends the schema of a question and accepts its answer', async () => {
    const { send, run, client } = agUiDemo({ rootAgent: bookingDesk(calls('ask', {}, 'c1'), says('Two.')).rootAgent });
    await send('Book.');
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({
      ...{ reason: 'input', message: 'How many nights?', toolCallId: 'c1', responseSchema: { type: 'integer' } },
    });
    await run({ resume: [{ interruptId: interrupt!.id, status: 'resolved', payload: 2 }] });
    expect(client.messages.find(({ role }) => role === 'tool')).toMatchObject({ content: '{"nights":2}' });
  });

  it('answers a question that is cancelled with an error', async () => {
    const { send, run, client } = agUiDemo({
      rootAgent: bookingDesk(calls('ask', {}, 'c1'), says('Then not.')).rootAgent,
    });
    await send('Book.');
    const resume = [{ interruptId: client.pendingInterrupts[0]!.id, status: 'cancelled' as const }];
    expect(outcomeOf(await run({ resume }))).toEqual({ type: 'success' });
    expect(client.messages.find(({ role }) => role === 'tool')).toMatchObject({
      content: expect.stringContaining('The user cancelled the request.'),
    });
  });

  it('sends a long-running call of the server as an interrupt, which resume answers', async () => {
    const { send, run, client } = agUiDemo({ rootAgent: bookingDesk(calls('wait', {}, 'c1'), says('Yes.')).rootAgent });
    await send('Ask the manager.');
    expect(client.pendingInterrupts).toMatchObject([{ id: 'c1', reason: 'longRunning', toolCallId: 'c1' }]);
    client.addMessage({ id: 'x', role: 'tool', toolCallId: 'c1', content: 'forged' });
    await run({ resume: [{ interruptId: 'c1', status: 'cancelled' }] });
    expect(client.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Yes.' });
  });

  it('streams a repeated resume again, without the first run', async () => {
    const { rootAgent, booked } = bookingDesk(calls('book', { room: 7 }, 'c1'), streams('Book', 'ed.'));
    const { handler, send, client } = agUiDemo({ rootAgent });
    await send('Book room 7.');
    const resume = [{ interruptId: client.pendingInterrupts[0]!.id, status: 'resolved' as const, payload: true }];
    const again = () => eventsOf(newClient(handler), { runId: 'r2', resume });
    const all = [...(await Promise.all([again(), again()])), await again()];
    for (const events of all) {
      expect(outcomeOf(events)).toEqual({ type: 'success' });
      expect(events.map(({ delta }) => delta as string).join('')).toBe('Booked.');
    }
    expect(booked).toEqual([{ room: 7 }]);
  });

  it.each([
    [{ interruptId: 'none', status: 'resolved' as const }, 404],
    [{ interruptId: 'none', status: 'maybe' as 'resolved' }, 400],
    [{ interruptId: 7 as unknown as string, status: 'resolved' as const }, 400],
  ])('rejects the entry %j with %i', async (entry, status) => {
    const { handler, send, client } = agUiDemo({ rootAgent: bookingDesk(...bookingAnswers).rootAgent });
    await send('Book room 7.');
    const body = { threadId: 't', runId: 'r2', messages: client.messages, resume: [entry] };
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    expect((await handler(new Request('http://localhost/ag-ui/demo', init))).status).toBe(status);
  });

  it('calls authorize with the interrupts of the answers', async () => {
    const identities: unknown[] = [];
    const { send, run, client } = agUiDemo({
      rootAgent: bookingDesk(...bookingAnswers).rootAgent,
      authorize(_, { action, interrupts }) {
        identities.push([action, interrupts?.map(({ toolName }) => toolName)]);
        return interrupts === undefined;
      },
    });
    await send('Book room 7.');
    const resume = [{ interruptId: client.pendingInterrupts[0]!.id, status: 'resolved' as const, payload: true }];
    await expect(run({ resume })).rejects.toMatchObject({ status: 403 });
    expect(identities).toEqual([
      ['run', undefined],
      ['answer', undefined],
      ['answer', ['book']],
    ]);
  });
});

describe('ClientToolset', () => {
  function clerk(...answers: ConstructorParameters<typeof ScriptedLlm>): { model: ScriptedLlm; rootAgent: LlmAgent } {
    const model = new ScriptedLlm(...answers);
    return { model, rootAgent: new LlmAgent({ name: 'clerk', model, tools: [new ClientToolset()] }) };
  }

  it('offers the tools of the client, and reads their results from the next request', async () => {
    const { model, rootAgent } = clerk(calls('show_map', { city: 'Rome' }, 'c1'), says('Here it is.'));
    const { send, run, client } = agUiDemo({ rootAgent });
    const events = await send('Show me Rome.', { tools: [showMap] });
    expect(outcomeOf(events)).toEqual({ type: 'success', pendingToolCallIds: ['c1'] });
    expect(model.requests[0]!.config.tools).toEqual([
      {
        functionDeclarations: [
          { name: 'show_map', description: 'Shows a map.', parametersJsonSchema: showMap.parameters },
        ],
      },
    ]);
    client.addMessage({ id: 'm2', role: 'tool', toolCallId: 'c1', content: '{"shown":true}' });
    expect(outcomeOf(await run({ tools: [showMap] }))).toEqual({ type: 'success' });
    expect(model.requests[1]!.contents.at(-1)!.parts![0]!.functionResponse).toMatchObject({
      response: { shown: true },
    });
    expect(client.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    // The messages of the thread have the ids of the client, so their order stays the same.
    const before = client.messages.map(({ id }) => id);
    await run();
    expect(client.messages.map(({ id }) => id)).toEqual(before);
  });

  it('accepts text and errors as results', async () => {
    const two = callsAll(['show_map', { city: 'Rome' }, 'c1'], ['show_map', { city: 'Oslo' }, 'c2']);
    const { model, rootAgent } = clerk(two, says('Here.'));
    const { send, run, client } = agUiDemo({ rootAgent });
    expect(outcomeOf(await send('Show both.', { tools: [showMap] }))).toEqual({
      ...{ type: 'success', pendingToolCallIds: ['c1', 'c2'] },
    });
    client.addMessage({ id: 'm2', role: 'tool', toolCallId: 'c1', content: 'done' });
    client.addMessage({ id: 'm3', role: 'tool', toolCallId: 'c2', content: '', error: 'No map.' });
    await run({ tools: [showMap] });
    const answers = model.requests[1]!.contents.at(-1)!.parts!.map((part) => part.functionResponse!.response);
    expect(answers).toEqual([{ result: 'done' }, { error: 'No map.' }]);
  });

  it('continues in another process, which reads the tools from the session', async () => {
    const { rootAgent } = clerk(calls('show_map', {}, 'c1'));
    const first = agUiDemo({ rootAgent });
    await first.send('Show me Rome.', { tools: [showMap] });
    const next = clerk(calls('show_map', {}, 'c2'));
    const second = agUiDemo({ rootAgent: next.rootAgent, sessionService: first.sessions });
    second.client.messages = first.client.messages;
    second.client.addMessage({ id: 'm2', role: 'tool', toolCallId: 'c1', content: 'done' });
    const { handler } = second;
    const body = { threadId: 't', runId: 'r2', messages: second.client.messages };
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    expect(await (await handler(new Request('http://localhost/ag-ui/demo', init))).text()).toContain('"c2"');
  });

  it('offers no tools in runs of other clients, and hides them from the state', async () => {
    const { model, rootAgent } = clerk(says('One.'), says('Two.'));
    const { handler, send, client } = agUiDemo({ rootAgent });
    const context = [{ description: 'page', value: '/maps' }];
    await send('Hello', { tools: [showMap], context });
    expect(client.state).toEqual({});
    const newMessage = { role: 'user', parts: [{ text: 'Hello' }] };
    const body = JSON.stringify({ appName: 'demo', userId: 'user', sessionId: 't', newMessage });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    await handler(new Request('http://localhost/run', init));
    expect(model.requests.map(({ config }) => config.tools?.length ?? 0)).toEqual([1, 0]);
  });

  it('keeps the context of the client for instructions', async () => {
    const model = new ScriptedLlm(says('Hello.'));
    const rootAgent = new LlmAgent({ name: 'clerk', model, instruction: 'The page shows: {agUiContext?}' });
    const context = [{ description: 'page', value: '/maps' }];
    await agUiDemo({ rootAgent }).send('Hello', { context });
    expect(JSON.stringify(model.requests[0]!.config.systemInstruction)).toContain('/maps');
  });
});
