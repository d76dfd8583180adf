import { createEvent, createEventActions } from '@thole/core';
import type { Agent, Event, Json, JsonObject } from '@thole/core';
import { LlmAgent } from '@thole/runner';
import { calls, callsAll, fails, hangs, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool, LongRunningFunctionTool } from '@thole/tools';
import { afterAll, describe, expect, it } from 'vitest';
import type { Client } from '../src/index.ts';
import { createHotel, serveHotel, textOf } from './hotel-server.ts';
import { hello, ref } from './protocol-server.ts';

const user = { appName: ref.appName, userId: ref.userId };
const calledMethods = new Set<string>();
const allMethods = new Set<string>();

afterAll(() => {
  const uncalled = [...allMethods].filter((name) => !calledMethods.has(name));
  expect(uncalled, 'methods of the client that no test of this file calls').toEqual([]);
});

describe('Client with a server', () => {
  it('returns health, version and apps', async () => {
    const client = recordCalls(createHotel().client);
    await client.health();
    expect(await client.version()).toMatchObject({ language: 'typescript', version: expect.any(String) });
    expect(await client.apps.list()).toEqual(['hotel']);
    const info = await client.apps.info(user);
    expect(info).toMatchObject({ name: 'hotel', rootAgentName: 'porter', language: 'typescript' });
    expect(info.agents['porter']).toMatchObject({
      name: 'porter',
      description: 'At the door.',
      subAgents: [],
      tools: [],
    });
    expect(info.services).toEqual({ memory: true, artifacts: true });
    expect(await client.apps.listDetailed()).toEqual([info]);
    await expect(client.apps.info({ appName: 'inn' })).rejects.toMatchObject({
      status: 404,
      detail: expect.any(String),
    });
  });

  it('rewinds, copies and regenerates', async () => {
    const client = recordCalls(createHotel([says('One.'), says('Two.'), says('Three.')]).client);
    await client.sessions.create(ref);
    await client.runToCompletion(hello);
    const second = client.run(hello);
    for await (const _ of second);
    const invocationId = await second.invocationId;
    const copy = await client.sessions.fork({ ...ref, beforeInvocationId: invocationId, newSessionId: 'copy' });
    expect([copy.id, copy.forkedFrom?.sessionId, copy.events.length]).toEqual(['copy', ref.sessionId, 2]);
    const third = client.run({ ...ref, regenerateInvocationId: invocationId });
    const texts: string[] = [];
    for await (const event of third) if (event.author !== 'user') texts.push(textOf(event)!);
    expect(texts).toEqual(['Three.']);
    const p = { ...ref, rewindBeforeInvocationId: await third.invocationId };
    expect((await client.sessions.rewind(p)).events.at(-1)!.actions).toMatchObject({
      rewindBeforeInvocationId: p.rewindBeforeInvocationId,
    });
    await expect(client.sessions.rewind(p)).rejects.toMatchObject({ status: 404, code: 'INVOCATION_NOT_FOUND' });
  });

  it('creates, lists, reads, changes, exports, imports and deletes sessions', async () => {
    const client = recordCalls(createHotel([says('Good evening.')]).client);
    const created = await client.sessions.create({ ...ref, state: { room: 12, 'user:floor': 'high' } });
    expect(created).toMatchObject({ id: 'lobby', events: [], state: { room: 12, 'user:floor': 'high' } });
    await expect(client.sessions.create(ref)).rejects.toMatchObject({ status: 409, code: 'SESSION_ALREADY_EXISTS' });
    await client.runToCompletion(hello);
    const written = await client.sessions.updateState({ ...ref, stateDelta: { room: null, bed: { size: 2 } } });
    expect(written.state).toEqual({ bed: { size: 2 }, 'user:floor': 'high' });
    const named = await client.sessions.rename({ ...ref, displayName: 'Trip' });
    expect(named.state['__session_metadata__']).toEqual({ displayName: 'Trip' });
    expect(named.lastSeq).toBe(4);
    expect((await client.sessions.get({ ...ref, numRecentEvents: 1 })).events.map(({ seq }) => seq)).toEqual([4]);
    await expect(client.sessions.get({ ...user, sessionId: 'none' })).rejects.toMatchObject({ status: 404 });
    await expect(client.sessions.updateState({ ...ref, stateDelta: { 'app:x': 1 } })).rejects.toMatchObject({
      status: 403,
    });

    const file = JSON.parse(JSON.stringify(await client.sessions.export(ref))) as typeof created;
    expect(Object.keys(file.state).sort()).toEqual(['__session_metadata__', 'bed']);
    const copy = await client.sessions.create({ ...user, ...file });
    expect(copy.events.map(textOf)).toEqual(named.events.map(textOf));
    expect(copy.state).toEqual(named.state);

    const allSessions = await client.sessions.list(user);
    expect([allSessions.totalItems, allSessions.sessions.map(({ id }) => id)]).toEqual([2, ['lobby', copy.id]]);
    const newest = await client.sessions.list({ ...user, limit: 1, order: 'desc' });
    expect([newest.totalItems, newest.sessions.map(({ id }) => id)]).toEqual([2, [copy.id]]);
    expect((await client.sessions.list({ ...user, limit: 1, page: 2 })).sessions.map(({ id }) => id)).toEqual([
      copy.id,
    ]);
    for (let i = 0; i < 2; i++) await client.sessions.delete({ ...ref, memory: true });
    expect((await client.sessions.list(user)).totalItems).toBe(1);
  });

  it('exports a session so that it can be created again, whatever its runs did', async () => {
    const execute = (): JsonObject => ({ ok: true });
    const tools = [
      new FunctionTool({ name: 'book', description: 'Books.', requireConfirmation: true, execute }),
      new LongRunningFunctionTool({ name: 'key', description: 'Fetches.', execute: () => ({ status: 'pending' }) }),
      new FunctionTool({
        name: 'note',
        description: 'Notes.',
        execute: (_, { state }) => {
          state.set('app:seen', 1);
        },
      }),
    ];
    const cook = new LlmAgent({ name: 'cook', model: new ScriptedLlm(says('Pasta.')), tools });
    const agent = new LlmAgent({
      ...{ name: 'porter', tools, subAgents: [cook] },
      model: new ScriptedLlm(
        callsAll(['book', {}], ['key', {}]),
        says('Booked.'),
        calls('note', {}),
        says('Noted.'),
        says('Rewound.'),
        calls('transfer_to_agent', { agentName: 'cook' }),
      ),
    });
    const { client } = createHotel([], { agent });
    await client.sessions.create({ ...ref, state: { room: 12 } });
    await client.runToCompletion({ ...hello, stateDelta: { bed: 1 } });
    const open = await client.interrupts.list(ref);
    const answers = open.map((interrupt) => ({ interrupt, value: interrupt.kind === 'longRunning' ? 'here' : true }));
    for await (const _ of client.answer({ ...ref, answers }));
    await client.runToCompletion({ ...hello, stateDelta: { 'user:floor': 'low' } });
    const removed = client.run(hello);
    for await (const _ of removed);
    await client.sessions.rewind({ ...ref, rewindBeforeInvocationId: await removed.invocationId });
    await client.runToCompletion(hello);
    await client.sessions.updateState({ ...ref, stateDelta: { 'user:floor': 'high', bed: 2 } });

    const original = await client.sessions.get(ref);
    const file = JSON.parse(JSON.stringify(await client.sessions.export(ref))) as Pick<typeof original, 'events'>;
    const copy = await client.sessions.create({ ...user, ...file });
    expect(copy.state).toEqual(original.state);
    const texts = copy.events.filter(({ content }) => content?.parts?.some(({ text }) => text)).map(textOf);
    expect(texts).toEqual(['hello', 'Booked.', 'hello', 'Noted.', 'hello', 'Pasta.']);
    const partsOf = (name: 'functionCall' | 'functionResponse'): string[] =>
      copy.events.flatMap((event) => event.content?.parts?.flatMap((part) => part[name]?.name ?? []) ?? []);
    expect(partsOf('functionCall')).toEqual(['book', 'key', 'note', 'transfer_to_agent']);
    expect(partsOf('functionResponse').filter((name) => name === 'key').length).toBe(2);
    expect(await client.interrupts.list({ ...user, sessionId: copy.id })).toEqual([]);
  });

  it('accepts names with any characters', async () => {
    const client = createHotel().client;
    for (const name of ['a/b', 'a%2Fb', 'a b+c?d=e#f', 'ä 二 🏨', '../x', '...', '"{}', ';,&=@:$']) {
      const odd = { appName: 'hotel', userId: name, sessionId: name };
      expect(await client.sessions.create(odd)).toMatchObject({ id: name, userId: name });
      expect(await client.sessions.get(odd)).toMatchObject({ id: name, userId: name });
      expect((await client.sessions.list({ appName: 'hotel', userId: name })).totalItems).toBe(1);
    }
  });

  it('saves, lists and loads artifacts in versions, under names with slashes', async () => {
    const client = recordCalls(createHotel().client);
    await client.sessions.create(ref);
    const file = { ...ref, filename: 'menus/versions/today ä.txt' };
    const save = (text: string) =>
      client.artifacts.save({
        ...file,
        artifact: { inlineData: { mimeType: 'text/plain', data: btoa(text) } },
        customMetadata: { text },
      });
    expect(await save('soup')).toMatchObject({ version: 0, customMetadata: { text: 'soup' } });
    expect(await save('fish')).toMatchObject({ version: 1, mimeType: 'text/plain' });
    await client.artifacts.save({ ...ref, filename: 'user:versions', artifact: { text: 'x' } });
    expect(await client.artifacts.list(ref)).toEqual([file.filename, 'user:versions']);
    expect(await client.artifacts.versions(file)).toEqual([0, 1]);
    expect((await client.artifacts.load(file)).inlineData?.data).toBe(btoa('fish'));
    expect((await client.artifacts.load({ ...file, version: 0 })).inlineData?.data).toBe(btoa('soup'));
    expect(await client.artifacts.metadata({ ...file, version: 0 })).toMatchObject({
      version: 0,
      customMetadata: { text: 'soup' },
    });
    expect(await client.artifacts.versions({ ...ref, filename: 'user:versions' })).toEqual([0]);
    expect((await client.artifacts.metadata(file)).version).toBe(1);
    expect((await client.artifacts.listMetadata(file)).map(({ version }) => version)).toEqual([0, 1]);
    await client.artifacts.delete(file);
    await expect(client.artifacts.load(file)).rejects.toMatchObject({ status: 404 });
    const without = createHotel([], { artifactService: undefined }).client;
    await without.sessions.create(ref);
    await expect(without.artifacts.list(ref)).rejects.toMatchObject({ status: 404 });
  });

  it('adds, finds, changes and deletes memory', async () => {
    const client = recordCalls(createHotel([says('Room twelve.')]).client);
    await client.sessions.create(ref);
    await client.runToCompletion({ ...ref, newMessage: 'Which room is on the high floor?' });
    await client.memory.saveSession(ref);
    const [added] = await client.memory.add({
      ...user,
      memories: [{ kind: 'note', content: { parts: [{ text: 'likes tea' }] } }],
    });
    expect(added).toMatchObject({ kind: 'note', id: expect.any(String) });
    const found = await client.memory.search({ ...user, query: 'tea', limit: 1 });
    expect(found).toMatchObject([{ id: added!.id, score: expect.any(Number) }]);
    await client.memory.add({ ...user, memories: [{ ...added!, content: { parts: [{ text: 'likes coffee' }] } }] });
    expect((await client.memory.search({ ...user, query: 'coffee' })).map(({ id }) => id)).toEqual([added!.id]);

    const change = { content: { parts: [{ text: 'likes cocoa' }] } };
    expect(await client.memory.update({ ...user, id: added!.id, change })).toMatchObject({ id: added!.id, ...change });
    expect((await client.memory.search({ ...user, query: 'coffee' })).length).toBe(0);

    const first = await client.memory.list({ ...user, limit: 2 });
    const rest = await client.memory.list({ ...user, limit: 2, cursor: first.next });
    expect([first.memories.length, rest.memories.length, rest.next]).toEqual([2, 1, undefined]);
    const turn = [...first.memories, ...rest.memories].find(({ kind }) => kind === 'turn')!;
    await client.memory.forget({ ...user, id: turn.id });
    expect((await client.memory.list(user)).memories.map(({ id }) => id)).not.toContain(turn.id);
    const notes = await client.memory.add({
      ...user,
      memories: ['The dog of Ada is called Rex.', 'Rex is the dog of Ada.', 'The cat sleeps.'],
    });
    expect(await client.memory.get({ ...user, id: notes[0]!.id })).toMatchObject({ id: notes[0]!.id, kind: 'note' });
    const same = await client.memory.findSame({ ...user, id: notes[0]!.id });
    expect(same.map(({ id }) => id)).toEqual([notes[1]!.id]);
    expect(await client.memory.forgetMany({ ...user, ids: [notes[0]!.id, notes[1]!.id] })).toBe(2);
    await expect(client.memory.get({ ...user, id: notes[0]!.id })).rejects.toMatchObject({ status: 404 });
    const scope = { team: 'front desk', agent: 'porter' };
    await client.memory.add({ ...user, scope, memories: ['The key is in the safe.'] });
    expect((await client.memory.list({ appName: 'hotel', userId: 'bob', scope })).memories).toMatchObject([{ scope }]);
    await client.memory.forgetAll(user);
    expect((await client.memory.list(user)).memories).toEqual([]);
    expect((await client.memory.list({ ...user, scope })).memories).toHaveLength(1);
    await client.memory.forgetAll({ ...user, scope });
    expect((await client.memory.list({ ...user, scope })).memories).toEqual([]);
    await expect(client.memory.saveSession({ ...user, sessionId: 'none' })).rejects.toMatchObject({ status: 404 });
    await expect(createHotel([], { memoryService: undefined }).client.memory.list(user)).rejects.toMatchObject({
      status: 400,
    });
  });

  it('returns spans of a run and graphs of an app', async () => {
    const client = recordCalls(createHotel([says('Good evening.')]).client);
    await client.sessions.create(ref);
    const [answer] = await client.runToCompletion(hello);
    const spans = await client.traces.ofSession(ref);
    expect(spans.length).toBeGreaterThan(1);
    for (const span of spans) expect(span.end_time).toBeGreaterThanOrEqual(span.start_time);
    expect(spans.filter((span) => spans.every((other) => other.span_id !== span.parent_span_id)).length).toBe(1);
    const attributes = await client.traces.ofEvent({ ...user, eventId: answer!.id });
    expect(attributes['gcp.vertex.agent.event_id']).toBe(answer!.id);
    await expect(client.traces.ofEvent({ ...user, eventId: 'none' })).rejects.toMatchObject({ status: 404 });
    expect(await client.traces.ofSession({ ...user, sessionId: 'none' })).toEqual([]);
    expect(await client.graphs.ofApp(user)).toMatchObject({ name: 'hotel' });
    expect((await client.graphs.dot({ ...user, darkMode: true, node: 'porter' })).dotSrc).toContain('porter');
    expect((await client.graphs.ofEvent({ ...ref, eventId: answer!.id })).dotSrc).toContain('porter');
  });
});

describe('Client.run with a server', () => {
  it('returns partial and stored events', async () => {
    const client = recordCalls(createHotel([streams('Good ', 'evening.'), says('Bye.')]).client);
    await client.sessions.create(ref);
    const run = client.run({ ...hello, streaming: true, stateDelta: { seen: true } });
    const events = await Array.fromAsync(run);
    expect(events.map(textOf)).toEqual(['Good …', 'evening.…', 'Good evening.']);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(run.lastSeq).toBe(events.at(-1)!.seq);
    expect(events.map(({ invocationId }) => invocationId)).toEqual(events.map(() => events[0]!.invocationId));
    expect(await run.invocationId).toBe(events[0]!.invocationId);
    expect((await client.runToCompletion(hello)).map(textOf)).toEqual(['Bye.']);
    expect((await client.sessions.get(ref)).state).toEqual({ seen: true });
  });

  it('returns an event with text and an artifact as one event', async () => {
    const actions = createEventActions({ artifactDelta: { 'menu.txt': 0 }, stateDelta: { a: 1 } });
    const client = createHotel([], { agent: createAgent(() => [{ text: 'Here it is.', actions }]) }).client;
    await client.sessions.create(ref);
    const events = await Array.fromAsync(client.run(hello));
    expect(events).toEqual((await client.sessions.get(ref)).events.slice(1));
    expect(events).toMatchObject([{ actions, content: { parts: [{ text: 'Here it is.' }] } }]);
  });

  it('rejects with the error of the server', async () => {
    const client = createHotel([fails('MODEL_RATE_LIMITED')]).client;
    await expect(client.run(hello).next()).rejects.toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
    await client.sessions.create(ref);
    await expect(client.run({ ...ref, newMessage: '' }).next()).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
    });
    await expect(Array.fromAsync(client.run(hello))).rejects.toMatchObject({
      code: 'MODEL_RATE_LIMITED',
      retryable: true,
    });
  });

  it('stops with cancel, and can be read again afterwards', async () => {
    const client = recordCalls(createHotel([hangs()], { onDisconnect: 'continue' }).client);
    await client.sessions.create(ref);
    const run = client.run(hello);
    const invocationId = await run.invocationId;
    expect(await run.cancel()).toBe(true);
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'RUN_ABORTED' });
    expect(await client.resume({ ...ref, invocationId }).cancel()).toBe(false);
    await expect(Array.fromAsync(client.resume({ ...ref, invocationId }))).rejects.toMatchObject({
      code: 'RUN_ABORTED',
    });
    await expect(client.resume({ ...ref, invocationId: 'none' }).next()).rejects.toMatchObject({ status: 404 });
  });

  it('ends or continues after a disconnect, according to onDisconnect (contract 40)', async () => {
    for (const onDisconnect of ['abort', 'continue'] as const) {
      const more = Promise.withResolvers<void>();
      const { client } = await serveHotel([], { onDisconnect, agent: createAgent(() => ['one', more.promise, 'two']) });
      await client.sessions.create(ref);
      const run = client.run(hello);
      expect(textOf((await run.next()).value!)).toBe('one');
      const place = { ...ref, invocationId: await run.invocationId, after: run.lastSeq };
      await run.return();
      if (onDisconnect === 'abort')
        await expect.poll(async () => (await client.sessions.get(ref)).events.at(-1)!.errorCode).toMatch(/^RUN_/);
      more.resolve();
      const rest = await Array.fromAsync(client.resume(place)).catch((error: { code: string }) => error.code);
      expect(typeof rest === 'string' ? rest : rest.map(textOf)).toEqual(
        onDisconnect === 'abort' ? expect.stringMatching(/^RUN_/) : ['two'],
      );
    }
  });

  it('returns each stored event once and in order after lost connections (contract 40)', async () => {
    const words = Array.from({ length: 8 }, (_, i) => `word ${i}`);
    const steps = words.map(() => Promise.withResolvers<void>());
    const agent = createAgent(() => words.flatMap((word, i) => [steps[i]!.promise, word]));
    const { client, server } = await serveHotel([], { agent, onDisconnect: 'continue' });
    await client.sessions.create(ref);
    let reconnects = 0;
    const run = client.run({ ...hello, onReconnect: () => void reconnects++ });
    await run.invocationId;
    const events: Event[] = [];
    for (const { resolve } of steps) {
      server.server.closeAllConnections();
      resolve();
      events.push((await run.next()).value!);
    }
    expect((await run.next()).done).toBe(true);
    expect(events.map(textOf)).toEqual(words);
    expect(events.map(({ seq }) => seq)).toEqual(words.map((_, i) => i + 2));
    expect(reconnects).toBeGreaterThanOrEqual(words.length);
  });
});

describe('Client.interrupts and Client.answer', () => {
  const book = (paid: JsonObject[]): FunctionTool =>
    new FunctionTool({
      name: 'book',
      description: 'Books a room.',
      requireConfirmation: true,
      allowEditedArguments: true,
      execute: (args: JsonObject) => (paid.push(args), { booked: true }),
    });
  const ask = new FunctionTool({
    name: 'ask',
    description: 'Asks the guest.',
    execute: async (_: unknown, context) => ({
      guests: await context.requestInput({ message: 'Who?', responseSchema: { type: 'array' } }),
    }),
  });
  const fetchKey = new LongRunningFunctionTool({ name: 'key', description: 'Fetches.', execute: () => ({ ok: 1 }) });

  it('lists the requests of a session and of all sessions, and continues with the answers', async () => {
    const booked: JsonObject[] = [];
    const model = new ScriptedLlm(
      callsAll(['book', { room: 7 }], ['ask'], ['key']),
      says('All done.'),
      calls('book', { room: 8 }),
    );
    const agent = new LlmAgent({ name: 'porter', model, tools: [book(booked), ask, fetchKey] });
    const client = recordCalls(createHotel([], { agent }).client);
    await client.sessions.create(ref);
    const paused = await Array.fromAsync(client.run(hello));
    const interrupts = await client.interrupts.list(ref);
    expect(interrupts.map(({ kind }) => kind).sort()).toEqual(['confirmation', 'input', 'longRunning']);
    const values: { [kind: string]: Json } = {
      confirmation: { confirmed: true, editedArguments: { room: 9 } },
      input: ['Ada'],
      longRunning: 'In the drawer.',
    };
    const answers = interrupts.map((interrupt) => ({ interrupt, value: values[interrupt.kind]! }));
    const run = client.answer({ ...ref, answers, streaming: true });
    expect(await run.invocationId).toBe(paused[0]!.invocationId);
    const events = await Array.fromAsync(run);
    expect(textOf(events.at(-1)!)).toBe('All done.');
    expect(booked).toEqual([{ room: 9 }]);
    expect(await client.interrupts.list(ref)).toEqual([]);
    await expect(Array.fromAsync(client.answer({ ...ref, answers: answers.slice(0, 1) }))).rejects.toMatchObject({
      status: 409,
      code: 'INTERRUPT_ANSWERED',
    });
  });

  it('rejects a call with the value false, and reads all pages of the inbox', async () => {
    const booked: JsonObject[] = [];
    const model = new ScriptedLlm(...[1, 2, 3].map((room) => calls('book', { room })), says('Not booked.'));
    const agent = new LlmAgent({ name: 'porter', model, tools: [book(booked)] });
    const client = recordCalls(createHotel([], { agent }).client);
    for (const sessionId of ['a', 'b', 'c']) {
      await client.sessions.create({ ...user, sessionId });
      await Array.fromAsync(client.run({ ...user, sessionId, newMessage: 'Book.' }));
    }
    const inbox = await Array.fromAsync(client.interrupts.inbox({ ...user, kind: 'confirmation', limit: 2 }));
    expect(inbox.map(({ sessionId, userId }) => `${userId} ${sessionId}`).sort()).toEqual(['ada a', 'ada b', 'ada c']);
    const page = await client.interrupts.page({ appName: user.appName, limit: 2 });
    expect([page.interrupts.length, typeof page.next]).toEqual([2, 'string']);
    expect(await Array.fromAsync(client.interrupts.inbox({ ...user, kind: 'timer' }))).toEqual([]);
    const { sessionId, ...interrupt } = inbox[0]!;
    const run = client.answer({ ...user, sessionId, answers: [{ interrupt, value: false }] });
    expect(textOf((await Array.fromAsync(run)).at(-1)!)).toBe('Not booked.');
    expect(booked).toEqual([]);
  });

  it('continues a failed invocation with its id', async () => {
    const { client } = createHotel([fails('MODEL_OVERLOADED'), says('Better.')]);
    await client.sessions.create(ref);
    const run = client.run(hello);
    const invocationId = await run.invocationId;
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'MODEL_OVERLOADED' });
    const events = await Array.fromAsync(client.run({ ...ref, invocationId }));
    expect(events.map(textOf)).toEqual(['Better.']);
    expect(events[0]!.invocationId).toBe(invocationId);
  });
});

describe('RunRequest.messageId', () => {
  it('starts one run for a message that is sent twice', async () => {
    const { client } = createHotel([says('Once.')]);
    await client.sessions.create(ref);
    for (let i = 0; i < 2; i++) {
      const events = await Array.fromAsync(client.run({ ...hello, messageId: 'm1' }));
      expect(events.map(textOf)).toEqual(['Once.']);
    }
    expect(await client.runToCompletion({ ...hello, messageId: 'm1' })).toHaveLength(1);
    expect((await client.sessions.get(ref)).events.map(({ id, author }) => author === 'user' && id)).toEqual([
      'm1',
      false,
    ]);
  });
});

/** Returns an agent that yields the texts of a script, and waits for its promises. */
function createAgent(
  script: () => readonly (string | Promise<void> | { text: string; actions: Event['actions'] })[],
): Agent {
  return {
    name: 'porter',
    async *runAsync({ invocationId }) {
      for (const each of script()) {
        const next = await each;
        if (next === undefined) continue;
        const { text, actions } = typeof next === 'string' ? { text: next } : next;
        yield createEvent({ author: 'porter', invocationId, content: { role: 'model', parts: [{ text }] }, actions });
      }
    },
  };
}

/** Records the called methods. All methods must be called in this file. */
function recordCalls(client: Client): Client {
  const record = <T extends object>(object: T, path: string): T =>
    new Proxy(object, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        const method = `${path}${String(name)}`;
        if (typeof value === 'object' && value !== null) return record(value, `${method}.`);
        calledMethods.add(method);
        return value;
      },
    });
  for (const [name, value] of Object.entries(client)) {
    if (typeof value === 'object')
      for (const method of Object.keys(value as object)) allMethods.add(`${name}.${method}`);
    else allMethods.add(name);
  }
  return record(client, '');
}
