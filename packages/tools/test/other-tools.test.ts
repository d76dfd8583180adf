import type { ArtifactService, JsonObject, LlmRequest, MemoryService, Part, ReadonlyContext, Tool } from '@thole/core';
import { TholeError } from '@thole/core';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import {
  EXIT_LOOP,
  exitLoopTool,
  FunctionTool,
  FunctionToolset,
  getUserChoiceTool,
  jsonSchema,
  LOAD_ARTIFACTS,
  LOAD_MEMORY,
  loadArtifactsTool,
  loadMemoryTool,
  PRELOAD_MEMORY,
  preloadMemoryTool,
  rememberTool,
  requestInputTool,
} from '../src/index.ts';

const runtime = new FixedRuntime();

it.each<[name: string, create: () => unknown]>([
  ['a FunctionTool', () => new FunctionTool({ name: 'a', description: '', execute: () => 1, timeout: 5 } as never)],
  ['a FunctionToolset', () => new FunctionToolset({ tools: [], filter: [] } as never)],
  ['load_memory', () => loadMemoryTool({ topK: 5 } as never)],
  ['preload_memory', () => preloadMemoryTool({ most: 5 } as never)],
  ['request_input', () => requestInputTool({ schema: {} } as never)],
])('rejects an unknown option of %s and names it (contract 42)', (_, create) => {
  expect(create).toThrow(
    expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(/has no option \w+/) }),
  );
});

it.each([
  [undefined, 'Options of FunctionToolset must be an object'],
  [{}, 'tools must be an array'],
  [{ tools: [], prefix: 5 }, 'prefix must be a string'],
])('rejects a FunctionToolset with %j (contract 42)', (options, message) => {
  expect(() => new FunctionToolset(options as never)).toThrow(message);
});

it.each([
  [null, 'Options of request_input must be an object, got null.'],
  [{ ttlMs: -1 }, 'ttlMs must be a number of milliseconds above 0, or Infinity.'],
  [{ ttlMs: '5' }, 'ttlMs must be a number of milliseconds above 0, or Infinity, got a string.'],
  [{ responseSchema: true }, 'responseSchema must be a JSON Schema object, got a boolean.'],
])('rejects request_input with %j (contract 42)', (options, message) => {
  expect(() => requestInputTool(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message }));
});

describe('load_memory and remember', () => {
  it.each([0, -1, 1.5, '5', null])('load_memory rejects the limit %j when it is created (contract 42)', (limit) => {
    expect(() => loadMemoryTool({ limit: limit as never })).toThrow('limit must be an integer ≥ 1');
  });

  it('load_memory requires a query, accepts a time range, and describes when to call it', () => {
    const declaration = loadMemoryTool().declaration!()!;
    expect(declaration.parametersJsonSchema).toMatchObject({
      required: ['query'],
      properties: { query: { type: 'string' } },
    });
    expect(Object.keys(declaration.parametersJsonSchema!['properties'] as object)).toEqual(['query', 'from', 'to']);
    expect(declaration.description).toMatch(/Call it before you answer/);
    expect(rememberTool().declaration!()!.description).toMatch(/Call it when the user asks/);
  });

  it('load_memory throws the error of a failed search', async () => {
    const memoryService: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'Gone.')),
    };
    const call = loadMemoryTool().runAsync({
      args: { query: 'x' },
      toolContext: toolContextFor({ runtime, memoryService }),
    });
    await expect(call).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('load_memory returns the end of a fact and rounded scores, without unknown values (contract 32)', async () => {
    const parts = (text: string) => ({ content: { parts: [{ text }] } });
    const memoryService: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: async () => ({
        memories: [
          {
            id: 'a',
            kind: 'fact',
            ...parts('Lived in Oslo.'),
            timestamp: 1_600_000_000.25,
            validTo: 1_600_000_060,
            score: 0.123456,
          },
          { id: 'b', kind: 'note', ...parts('Tea.'), timestamp: Number.MAX_VALUE },
        ],
      }),
    };
    const answer = await loadMemoryTool().runAsync({
      args: { query: 'x' },
      toolContext: toolContextFor({ runtime, memoryService }),
    });
    expect(answer).toEqual({
      memories: [
        { text: 'Lived in Oslo.', time: '2020-09-13T12:26:40Z', until: '2020-09-13T12:27:40Z', score: 0.123 },
        { text: 'Tea.' },
      ],
    });
  });

  it('remember rejects a blank fact before anything is stored', async () => {
    const call = rememberTool().runAsync({ args: { fact: ' \n' }, toolContext: toolContextFor({ runtime }) });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { refused: true } });
  });

  it('remember rejects a fact of more than 2,000 characters', async () => {
    const call = rememberTool().runAsync({
      args: { fact: 'x'.repeat(2_001) },
      toolContext: toolContextFor({ runtime }),
    });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining('2000') });
  });

  it('remember uses one id for all attempts of a call, so that it is stored once (contract 28)', async () => {
    const ids: unknown[] = [];
    const memoryService: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: async () => ({ memories: [] }),
      addMemory: async ({ memories = [] }) => {
        ids.push(...memories.map(({ id }) => id));
        return memories.map((memory) => ({ ...memory, id: memory.id! }));
      },
    };
    for (const idempotencyKey of ['one', 'one', 'two']) {
      await rememberTool().runAsync({
        args: { fact: 'Tea.' },
        toolContext: toolContextFor({ runtime, memoryService, idempotencyKey }),
      });
    }
    expect(ids).toEqual(['remember:one', 'remember:one', 'remember:two']);
    expect(rememberTool().idempotent).toBe(true);
  });

  it('remember returns MEMORY_NOT_CONFIGURED if the service cannot store notes (contract 35)', async () => {
    const memoryService: MemoryService = {
      addSessionToMemory: async () => {},
      searchMemory: async () => ({ memories: [] }),
    };
    const answer = await rememberTool().runAsync({
      args: { fact: 'Tea.' },
      toolContext: toolContextFor({ runtime, memoryService }),
    });
    expect(answer).toMatchObject({ code: 'MEMORY_NOT_CONFIGURED', error: expect.stringContaining('not configured') });
  });
});

describe('load_artifacts', () => {
  const files: { [name: string]: Part } = {
    'plan.txt': { text: 'Two nights.' },
    'user:map.png': { inlineData: { mimeType: 'image/png', data: 'AA==' } },
  };
  const artifactService = {
    listArtifactKeys: async () => Object.keys(files),
    loadArtifact: async ({ filename }: { filename: string }) => files[filename],
  } as Partial<ArtifactService> as ArtifactService;
  const requestAfterCall = (names: string[]): LlmRequest => ({
    contents: [
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c', name: 'load_artifacts', response: { artifact_names: names } } }],
      },
    ],
    config: { systemInstruction: 'Be kind.' },
  });
  const process = async (tool: Tool, llmRequest: LlmRequest, service?: ArtifactService): Promise<LlmRequest> => {
    await tool.processLlmRequest!({ toolContext: toolContextFor({ runtime, artifactService: service }), llmRequest });
    return llmRequest;
  };

  it('lists the names in the system text, and adds requested files after the answer', async () => {
    const request = await process(
      loadArtifactsTool(),
      requestAfterCall(['plan.txt', 'gone.txt', 'plan.txt']),
      artifactService,
    );
    expect(request.config.systemInstruction).toMatch(/^Be kind\.\n\nThese files .*"plan.txt", "user:map.png"\./);
    expect(request.contents.slice(1)).toEqual([
      { role: 'user', parts: [{ text: 'File "plan.txt":' }, { text: 'Two nights.' }] },
      { role: 'user', parts: [{ text: 'File "gone.txt" does not exist.' }] },
    ]);
  });

  it('finds a file of the user by its name without the prefix user:', async () => {
    const request = await process(loadArtifactsTool(), requestAfterCall(['map.png']), artifactService);
    expect(request.contents.slice(1)).toEqual([
      { role: 'user', parts: [{ text: 'File "map.png":' }, files['user:map.png']] },
    ]);
  });

  it('prefers a file of the session to a file of the user with the same name', async () => {
    const both = {
      ...artifactService,
      loadArtifact: async ({ filename }: { filename: string }) => ({ text: filename }),
    };
    const request = await process(loadArtifactsTool(), requestAfterCall(['map.png']), both as ArtifactService);
    expect(request.contents[1]!.parts).toEqual([{ text: 'File "map.png":' }, { text: 'map.png' }]);
  });

  it('adds files for one step only', async () => {
    const request = requestAfterCall(['plan.txt']);
    request.contents = [...request.contents, { role: 'model', parts: [{ text: 'Two nights.' }] }];
    expect((await process(loadArtifactsTool(), request, artifactService)).contents).toHaveLength(2);
  });

  it('informs the model about an unreadable file, and logs only the code', async () => {
    const loggingRuntime = new FixedRuntime();
    const broken = {
      ...artifactService,
      loadArtifact: () => Promise.reject(new TholeError('STORE_UNAVAILABLE', 'Gone.')),
    } as ArtifactService;
    const llmRequest = requestAfterCall(['plan.txt']);
    await loadArtifactsTool().processLlmRequest!({
      toolContext: toolContextFor({ runtime: loggingRuntime, artifactService: broken }),
      llmRequest,
    });
    expect(llmRequest.contents[1]?.parts).toEqual([{ text: 'File "plan.txt" could not be read.' }]);
    expect(loggingRuntime.logs).toMatchObject([{ level: 'warn', fields: { code: 'STORE_UNAVAILABLE' } }]);
  });

  it('lists the first 100 names and the count of the others', async () => {
    const many = {
      ...artifactService,
      listArtifactKeys: async () => Array.from({ length: 103 }, (_, i) => `f${i}`),
    } as ArtifactService;
    const { config } = await process(LOAD_ARTIFACTS, { contents: [], config: {} }, many);
    expect(config.systemInstruction).toMatch(/"f99" and 3 more\. /);
  });

  it('leaves the request unchanged and returns ARTIFACT_NOT_CONFIGURED without a service', async () => {
    expect(await process(loadArtifactsTool(), requestAfterCall(['plan.txt']))).toEqual(requestAfterCall(['plan.txt']));
    const call = loadArtifactsTool().runAsync({
      args: { artifact_names: ['plan.txt'] },
      toolContext: toolContextFor({ runtime }),
    });
    expect(await call).toMatchObject({ code: 'ARTIFACT_NOT_CONFIGURED' });
  });

  it('returns the requested names', async () => {
    const toolContext = toolContextFor({ runtime, artifactService });
    const call = loadArtifactsTool().runAsync({ args: { artifact_names: ['plan.txt'] }, toolContext });
    expect(await call).toEqual({ artifact_names: ['plan.txt'] });
  });
});

describe('exit_loop and get_user_choice', () => {
  it('exit_loop escalates and skips the summary of the model', async () => {
    const toolContext = toolContextFor({ runtime });
    expect(await exitLoopTool().runAsync({ args: {}, toolContext })).toEqual({});
    expect(toolContext.actions).toMatchObject({ escalate: true, skipSummarization: true });
  });

  it('get_user_choice is long-running and returns no first note', async () => {
    const tool = getUserChoiceTool();
    expect(tool.isLongRunning).toBe(true);
    expect(
      await tool.runAsync({ args: { options: ['sea', 'city'] }, toolContext: toolContextFor({ runtime }) }),
    ).toBeUndefined();
    await expect(tool.runAsync({ args: { options: [] }, toolContext: toolContextFor({ runtime }) })).rejects.toThrow(
      /options: must have at least 1/,
    );
  });

  it('EXIT_LOOP and the other constants are frozen', () => {
    expect([EXIT_LOOP, LOAD_ARTIFACTS, LOAD_MEMORY, PRELOAD_MEMORY].map(({ name }) => name)).toEqual([
      'exit_loop',
      'load_artifacts',
      'load_memory',
      'preload_memory',
    ]);
    for (const tool of [EXIT_LOOP, LOAD_ARTIFACTS, LOAD_MEMORY, PRELOAD_MEMORY])
      expect(Object.isFrozen(tool)).toBe(true);
  });
});

describe('FunctionToolset', () => {
  const tool = (name: string): FunctionTool =>
    new FunctionTool({ name, description: `${name}.`, timeoutMs: 7, execute: () => name });
  const context: ReadonlyContext = toolContextFor({ runtime, userId: 'ada' });
  const namesOf = async (toolset: FunctionToolset): Promise<string[]> =>
    (await toolset.getTools(context)).map(({ name }) => name);

  it('returns all tools, the tools of a list, or the tools that a function accepts', async () => {
    const tools = [tool('find'), tool('book')];
    expect(await namesOf(new FunctionToolset({ tools }))).toEqual(['find', 'book']);
    expect(await namesOf(new FunctionToolset({ tools, toolFilter: ['book'] }))).toEqual(['book']);
    expect(await namesOf(new FunctionToolset({ tools, toolFilter: [] }))).toEqual([]);
    expect(
      await namesOf(
        new FunctionToolset({ tools, toolFilter: ({ name }, { userId }) => name === 'find' && userId === 'ada' }),
      ),
    ).toEqual(['find']);
  });

  it('rejects a filter that returns a promise, which would accept every tool', async () => {
    const toolFilter = (async () => false) as unknown as () => boolean;
    await expect(namesOf(new FunctionToolset({ tools: [tool('find')], toolFilter }))).rejects.toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: 'The result of toolFilter must be true or false, got a Promise.',
      }),
    );
  });

  it.each([
    ['my hotel', /^prefix must have only letters, digits, _ or -/],
    ['1st', /^prefix must have only letters, digits, _ or -/],
    ['x'.repeat(60), /^prefix and the tool name "find" have more than 64 characters together/],
    [7 as unknown as string, /^prefix must be a string, got a number/],
  ])('rejects a prefix that is not valid in the name of a tool: %j', (prefix, message) => {
    const create = (): unknown => new FunctionToolset({ tools: [tool('find')], prefix });
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }));
    expect(() => new FunctionToolset({ tools: [tool('find')], prefix: 'x'.repeat(59) })).not.toThrow();
  });

  it('adds a prefix to names and declarations, and does not change the tool', async () => {
    const [prefixed] = await new FunctionToolset({
      tools: [tool('find')],
      toolFilter: ['find'],
      prefix: 'hotel',
    }).getTools(context);
    expect(prefixed).toMatchObject({ name: 'hotel_find', timeoutMs: 7 });
    expect(prefixed!.declaration!()).toMatchObject({ name: 'hotel_find', description: 'find.' });
    expect(await prefixed!.runAsync({ args: {}, toolContext: toolContextFor({ runtime }) })).toBe('find');
  });

  it('keeps confirmations, checks and all other members with a prefix', async () => {
    const settings = {
      ...{ idempotent: true, confirmationTtlMs: 5, allowEditedArguments: true, acceptsUpdates: true },
      ...{ isLongRunning: true, onUpdate: 'ask-model' as const, probe: () => 'unknown' as const },
      requireConfirmation: () => true,
    };
    const parameters = jsonSchema({ type: 'object', properties: {}, required: ['room'] });
    const tool = new FunctionTool({ name: 'book', description: 'Books.', parameters, execute: () => 1, ...settings });
    const [prefixed] = await new FunctionToolset({ tools: [tool], prefix: 'hotel' }).getTools(context);
    const { probe: _, requireConfirmation: _function, ...values } = settings;
    expect(prefixed).toMatchObject(values);
    expect((prefixed!.requireConfirmation as () => boolean)()).toBe(true);
    expect(prefixed!.probe!({}, {} as never)).toBe('unknown');
    await expect(prefixed!.checkArguments!({})).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('calls requireConfirmation on its tool with a prefix', async () => {
    class Booking implements Tool {
      readonly name = 'book';
      readonly description = 'Books.';
      readonly limit = 3;
      requireConfirmation({ nights }: JsonObject): boolean {
        return (nights as number) > this.limit;
      }
      async runAsync(): Promise<unknown> {
        return 1;
      }
    }
    const [prefixed] = await new FunctionToolset({ tools: [new Booking()], prefix: 'hotel' }).getTools(context);
    const requireConfirmation = prefixed!.requireConfirmation as (args: JsonObject) => boolean;
    expect([1, 5].map((nights) => requireConfirmation({ nights }))).toEqual([false, true]);
  });

  it('keeps a passive tool passive with a prefix', async () => {
    const [passive] = await new FunctionToolset({ tools: [PRELOAD_MEMORY], prefix: 'x' }).getTools(context);
    expect(passive!.declaration!()).toBeUndefined();
    expect(passive!.processLlmRequest).toBeDefined();
  });

  it('rejects two tools with one name, and a filter with an unknown name', () => {
    expect(() => new FunctionToolset({ tools: [tool('find'), tool('find')] })).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_NAME' }),
    );
    expect(() => new FunctionToolset({ tools: [tool('find')], toolFilter: ['fnd'] })).toThrow(/toolFilter names fnd/);
  });
});
