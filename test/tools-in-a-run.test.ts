import type { Event, Llm, Tool, ToolContext } from '@thole/core';
import { getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { LlmAgent, LoopAgent, Runner } from '@thole/runner';
import type { RunnerOptions } from '@thole/runner';
import { calls, callsAll, FixedRuntime, says, ScriptedLlm } from '@thole/testing';
import {
  exitLoopTool,
  FunctionTool,
  FunctionToolset,
  getUserChoiceTool,
  jsonSchema,
  loadArtifactsTool,
  loadMemoryTool,
  LongRunningFunctionTool,
  preloadMemoryTool,
  rememberTool,
} from '@thole/tools';
import { describe, expect, it } from 'vitest';

const concierge = (model: Llm, ...tools: (Tool | FunctionToolset)[]): LlmAgent =>
  new LlmAgent({ name: 'concierge', model, tools });

function runnerFor(agent: LlmAgent | LoopAgent, options: Partial<RunnerOptions> = {}): Runner {
  const runtime = new FixedRuntime();
  const sessionService = new InMemorySessionService({ runtime });
  return new Runner({
    appName: 'hotel',
    agent,
    sessionService,
    autoCreateSession: true,
    runtime,
    ...options,
  } as RunnerOptions);
}

const run = (runner: Runner, newMessage: string, sessionId = 'trip-1', deps?: unknown): Promise<Event[]> =>
  Array.fromAsync(runner.runAsync({ userId: 'alice', sessionId, newMessage, deps }));
const answersIn = (events: Event[]): unknown[] => events.flatMap(getFunctionResponses).map(({ response }) => response);
const textsIn = (model: ScriptedLlm, request: number): string[] =>
  model.requests[request]!.contents.flatMap((content) => content.parts?.map((part) => part.text ?? '') ?? []);

const book = (): FunctionTool =>
  new FunctionTool({
    name: 'book',
    description: 'Books.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: ({ city }) => ({ booked: city! }),
  });

describe('a function tool in a run', () => {
  it('answers the model, not the caller, if the model sends invalid arguments (contract 18)', async () => {
    const model = new ScriptedLlm(calls('book', { city: 7 }), calls('book', { city: 'Oslo' }), says('Booked.'));
    const events = await run(runnerFor(concierge(model, book())), 'Book.');
    expect(answersIn(events)).toEqual([
      { error: expect.stringContaining('city: expected string, received number') },
      { booked: 'Oslo' },
    ]);
  });

  it('ends the run with MODEL_STUCK after three steps with refused calls only (contract 18)', async () => {
    const model = new ScriptedLlm(...[1, 2, 3, 4].map(() => calls('book', {})));
    const failure = await run(runnerFor(concierge(model, book())), 'Book.').catch((error: unknown) => error);
    expect(TholeError.is(failure, 'MODEL_STUCK')).toBe(true);
    expect(model.requests).toHaveLength(3);
  });

  it('receives the caller’s deps, which are not stored', async () => {
    const deps = { rooms: ['12', '14'] };
    const tool = new FunctionTool({
      name: 'rooms',
      description: 'Lists.',
      execute: (_args, { deps: given }: ToolContext<typeof deps>) => given.rooms,
    });
    const sessionService = new InMemorySessionService();
    const runner = runnerFor(concierge(new ScriptedLlm(calls('rooms'), says('Two.')), tool), { sessionService });
    expect(answersIn(await run(runner, 'Rooms?', 'trip-1', deps))).toEqual([{ result: ['12', '14'] }]);
    const session = await sessionService.getSession({ appName: 'hotel', userId: 'alice', sessionId: 'trip-1' });
    expect(JSON.stringify(session)).not.toContain('deps');
  });

  it('has the prefix of its toolset in its name', async () => {
    const model = new ScriptedLlm(calls('hotel_book', { city: 'Oslo' }), says('Booked.'));
    const toolset = new FunctionToolset({ tools: [book(), exitLoopTool()], toolFilter: ['book'], prefix: 'hotel' });
    expect(answersIn(await run(runnerFor(concierge(model, toolset)), 'Book.'))).toEqual([{ booked: 'Oslo' }]);
    expect(model.requests[0]!.config.tools).toMatchObject([{ functionDeclarations: [{ name: 'hotel_book' }] }]);
  });

  it('pauses the run if it is long-running, and is answered by a later message', async () => {
    const model = new ScriptedLlm(calls('approve', {}, 'call-1'), says('I asked.'), says('Approved.'));
    const approve = new LongRunningFunctionTool({
      name: 'approve',
      description: 'Asks.',
      execute: () => ({ ticket: 1 }),
    });
    const runner = runnerFor(concierge(model, approve));
    const events = await run(runner, 'Ask.');
    const id = events.flatMap(getFunctionCalls)[0]!.id!;
    expect(events.find((event) => event.longRunningToolIds)?.longRunningToolIds).toEqual([id]);
    const response = { functionResponse: { id, name: 'approve', response: { ok: true } } };
    const requestsBefore = model.requests.length;
    await Array.fromAsync(
      runner.runAsync({ userId: 'alice', sessionId: 'trip-1', newMessage: { role: 'user', parts: [response] } }),
    );
    expect(JSON.stringify(model.requests[requestsBefore]!.contents)).toContain('"ok":true');
  });
});

describe('memory tools in a run', () => {
  async function createMemory(): Promise<InMemoryMemoryService> {
    const memoryService = new InMemoryMemoryService();
    const sessionService = new InMemorySessionService();
    const runner = runnerFor(concierge(new ScriptedLlm(says('Noted.'))), { sessionService });
    await run(runner, 'I prefer rooms on high floors.');
    await memoryService.addSessionToMemory(
      (await sessionService.getSession({ appName: 'hotel', userId: 'alice', sessionId: 'trip-1' }))!,
    );
    return memoryService;
  }

  it('load_memory finds turns of an earlier session', async () => {
    const model = new ScriptedLlm(calls('load_memory', { query: 'rooms floors' }), says('A high floor.'));
    const runner = runnerFor(concierge(model, loadMemoryTool()), { memoryService: await createMemory() });
    const [answer] = answersIn(await run(runner, 'Book a room like last time.', 'trip-2'));
    expect(answer).toMatchObject({
      memories: [
        {
          text: 'I prefer rooms on high floors.',
          author: 'user',
          time: expect.stringMatching(/^2023-11-14T\d\d:\d\d:\d\dZ$/),
        },
        // The answer to the matching message is a result too.
        { author: 'concierge', text: 'Noted.' },
      ],
    });
  });

  it('load_memory and remember answer the model without a service, and the run continues (contract 35)', async () => {
    const model = new ScriptedLlm(
      callsAll(['load_memory', { query: 'x' }], ['remember', { fact: 'Tea.' }]),
      says('I cannot look that up.'),
    );
    const events = await run(runnerFor(concierge(model, loadMemoryTool(), rememberTool())), 'Hello.');
    const error = expect.stringContaining('not configured');
    expect(answersIn(events)).toEqual([
      { error, code: 'MEMORY_NOT_CONFIGURED' },
      { error, code: 'MEMORY_NOT_CONFIGURED' },
    ]);
    expect(events.at(-1)?.content?.parts).toEqual([{ text: 'I cannot look that up.' }]);
  });

  it('remember keeps a note that load_memory finds in another session', async () => {
    const memoryService = new InMemoryMemoryService();
    const tools = [loadMemoryTool(), rememberTool()];
    const model = new ScriptedLlm(
      calls('remember', { fact: 'Alice drinks <oolong> tea.' }),
      says('I will.'),
      calls('load_memory', { query: 'tea' }),
      says('Oolong.'),
    );
    const runner = runnerFor(concierge(model, ...tools), { memoryService });
    await run(runner, 'Remember my tea.');
    expect(answersIn(await run(runner, 'What do I drink?', 'trip-2'))).toMatchObject([
      { memories: [{ text: 'Alice drinks <oolong> tea.' }] },
    ]);
  });

  it('preload_memory shows the same quotes before the message in every step and stores nothing (contract 36)', async () => {
    const memoryService = await createMemory();
    let searches = 0;
    const search = memoryService.searchMemory.bind(memoryService);
    memoryService.searchMemory = (p) => (searches++, search(p));
    const sessionService = new InMemorySessionService();
    const model = new ScriptedLlm(calls('book', { city: 'Oslo' }), says('Booked.'), says('Again.'));
    const runner = runnerFor(concierge(model, preloadMemoryTool(), book()), { memoryService, sessionService });
    await run(runner, 'Rooms on high floors, please.', 'trip-2');
    expect(searches).toBe(1);
    const [first, second] = [textsIn(model, 0), textsIn(model, 1)];
    expect(first).toEqual([
      expect.stringContaining('- user: I prefer rooms on high floors.'),
      'Rooms on high floors, please.',
    ]);
    expect(second.slice(0, 2)).toEqual(first);
    await run(runner, 'High floors again.', 'trip-2');
    expect(searches).toBe(2);
    expect(textsIn(model, 2).findIndex((text) => text.startsWith('<past_conversations>'))).toBe(
      textsIn(model, 2).length - 2,
    );
    const session = await sessionService.getSession({ appName: 'hotel', userId: 'alice', sessionId: 'trip-2' });
    expect(JSON.stringify(session)).not.toMatch(/past_conversations|preload_memory/);
  });

  it('preload_memory does nothing without a service (contract 35)', async () => {
    const model = new ScriptedLlm(says('Hello.'));
    await run(runnerFor(concierge(model, preloadMemoryTool())), 'Hello.');
    expect(textsIn(model, 0)).toEqual(['Hello.']);
    expect(model.requests[0]!.config.tools ?? []).toEqual([]);
  });

  it('preload_memory does not quote memories of other users (contract 30)', async () => {
    const model = new ScriptedLlm(says('Hello.'));
    const runner = runnerFor(concierge(model, preloadMemoryTool()), { memoryService: await createMemory() });
    await Array.fromAsync(runner.runAsync({ userId: 'bob', sessionId: 'b', newMessage: 'Rooms on high floors?' }));
    expect(textsIn(model, 0)).toEqual(['Rooms on high floors?']);
  });
});

describe('the other tools in a run', () => {
  it('load_artifacts shows a file in the next step only', async () => {
    const save = new FunctionTool({
      name: 'save',
      description: 'Saves.',
      parameters: jsonSchema<{ text: string }>({ type: 'object', properties: { text: { type: 'string' } } }),
      execute: ({ text }, toolContext) =>
        toolContext.saveArtifact('plan.txt', { inlineData: { mimeType: 'text/plain', data: btoa(text) } }),
    });
    const model = new ScriptedLlm(
      calls('save', { text: 'Two nights.' }),
      calls('load_artifacts', { artifact_names: ['plan.txt'] }),
      says('Two.'),
      says('Yes.'),
    );
    const runner = runnerFor(concierge(model, save, loadArtifactsTool()), {
      artifactService: new InMemoryArtifactService(),
    });
    await run(runner, 'Plan it.');
    expect(model.requests[0]!.config.systemInstruction ?? '').not.toContain('plan.txt');
    expect(model.requests[1]!.config.systemInstruction).toContain('"plan.txt"');
    expect(model.requests[2]!.contents.at(-1)?.parts).toMatchObject([
      { text: 'File "plan.txt":' },
      { inlineData: { data: btoa('Two nights.') } },
    ]);
    await run(runner, 'Sure?');
    expect(JSON.stringify(model.requests[3]!.contents)).not.toContain('inlineData');
  });

  it('exit_loop ends the loop without another model call', async () => {
    const model = new ScriptedLlm(says('Draft.'), calls('exit_loop'));
    const loop = new LoopAgent({ name: 'loop', maxIterations: 5, subAgents: [concierge(model, exitLoopTool())] });
    await run(runnerFor(loop), 'Improve it.');
    expect(model.requests).toHaveLength(2);
    model.assertDone();
  });

  it('get_user_choice pauses the run, and the model receives the choice', async () => {
    const model = new ScriptedLlm(calls('get_user_choice', { options: ['sea', 'city'] }), says('The sea it is.'));
    const runner = runnerFor(concierge(model, getUserChoiceTool()));
    const firstEvents = await run(runner, 'Which view?');
    expect(firstEvents.flatMap(getFunctionResponses)).toEqual([]);
    const { id, name } = firstEvents.flatMap(getFunctionCalls)[0]!;
    const functionResponse = { id: id!, name, response: { choice: 'sea' } };
    const events = await Array.fromAsync(
      runner.runAsync({
        userId: 'alice',
        sessionId: 'trip-1',
        newMessage: { role: 'user', parts: [{ functionResponse }] },
      }),
    );
    expect(events.at(-1)?.content?.parts).toEqual([{ text: 'The sea it is.' }]);
  });
});
