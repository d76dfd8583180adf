import type { GenerateContentConfig, LlmRequest } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { toAnthropicRequest } from '../src/to-anthropic-request.ts';

const find = {
  name: 'find_rooms',
  description: 'Finds rooms.',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
};
const book = { name: 'book', parametersJsonSchema: {} };

function bodyOf(
  config: GenerateContentConfig,
  members: Partial<LlmRequest> & { model?: string; leftOut?: string[] } = {},
) {
  const { model = 'claude-sonnet-5-5', leftOut = [], ...request } = members;
  return toAnthropicRequest(
    { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], config, ...request },
    { model, endpoint: { name: 'anthropic' }, stream: false, leaveOut: (name) => leftOut.push(name) },
  ).body;
}

describe('toAnthropicRequest', () => {
  it('sends model, limit and messages, and no other settings', () => {
    expect(bodyOf({})).toEqual({
      model: 'claude-sonnet-5-5',
      max_tokens: 32_000,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
  });

  it('sends settings with the names of the API, and reports unsupported ones', () => {
    const leftOut: string[] = [];
    const config = {
      systemInstruction: 'Be kind.',
      temperature: 0.5,
      topP: 0.9,
      topK: 7,
      maxOutputTokens: 99,
      stopSequences: ['END'],
      seed: 1,
      labels: { a: 'b' },
    };
    expect(bodyOf(config, { leftOut })).toMatchObject({
      system: 'Be kind.',
      temperature: 0.5,
      top_p: 0.9,
      top_k: 7,
      max_tokens: 99,
      stop_sequences: ['END'],
    });
    expect(leftOut).toEqual(['seed', 'labels']);
  });

  it('requests adaptive thoughts with an effort from new models, without sampling settings', () => {
    const leftOut: string[] = [];
    const thinkingConfig = { includeThoughts: true, thinkingLevel: 'HIGH', thinkingBudget: 4000 };
    expect(bodyOf({ thinkingConfig, temperature: 0.5 }, { leftOut })).toEqual({
      ...bodyOf({}),
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(leftOut).toEqual(['thinkingConfig.thinkingBudget', 'temperature']);
  });

  it.each([
    ['claude-sonnet-4-5-20250929', { thinkingBudget: 4000 }, { type: 'enabled', budget_tokens: 4000 }],
    ['claude-opus-4-20250514', { thinkingLevel: 'low' }, { type: 'enabled', budget_tokens: 2048 }],
    ['claude-haiku-4-5', { thinkingBudget: 10 }, { type: 'enabled', budget_tokens: 1024 }],
    [
      'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { includeThoughts: true },
      { type: 'enabled', budget_tokens: 8192 },
    ],
    ['claude-opus-4-6', { includeThoughts: false, thinkingLevel: 'minimal' }, { type: 'adaptive', display: 'omitted' }],
    ['claude-opus-4-6', { thinkingBudget: 0 }, { type: 'disabled' }],
    ['claude-opus-4-6', { includeThoughts: false }, undefined],
  ])('sends to %s with %j the setting thinking: %j', (model, thinkingConfig, thinking) => {
    expect(bodyOf({ thinkingConfig }, { model })['thinking']).toEqual(thinking);
  });

  it('increases max_tokens for a large budget of thoughts', () => {
    const thinkingConfig = { thinkingBudget: 50_000 };
    expect(bodyOf({ thinkingConfig }, { model: 'claude-haiku-4-5' })['max_tokens']).toBe(58_000);
  });

  it.each([
    [4000, 3999, 3999],
    [4000, 4000, 2000],
    [1500, 8192, 1024],
    [1024, 8192, undefined],
  ])('sends with %i maxOutputTokens and a budget of %i the budget %s', (maxOutputTokens, thinkingBudget, sent) => {
    const leftOut: string[] = [];
    const body = bodyOf(
      { maxOutputTokens, temperature: 0.5, thinkingConfig: { thinkingBudget } },
      { model: 'claude-haiku-4-5', leftOut },
    );
    expect(body['max_tokens']).toBe(maxOutputTokens);
    expect(body['thinking']).toEqual(sent && { type: 'enabled', budget_tokens: sent });
    expect(leftOut).toEqual([sent ? 'temperature' : 'thinkingConfig']);
  });

  it('leaves out thoughts if a call is forced', () => {
    const leftOut: string[] = [];
    const toolConfig = { functionCallingConfig: { mode: 'ANY' as const } };
    const thinkingConfig = { includeThoughts: true };
    const config = { tools: [{ functionDeclarations: [find] }], toolConfig, thinkingConfig };
    expect(bodyOf(config, { leftOut })['thinking']).toBeUndefined();
    expect(leftOut).toEqual(['thinkingConfig']);
  });

  it('leaves out a budget of thoughts in a step that another model began', () => {
    const contents: LlmRequest['contents'] = [
      { role: 'user', parts: [{ text: 'Book it.' }] },
      { role: 'model', parts: [{ functionCall: { id: 'a', name: 'book', args: {} } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'book', response: {} } }] },
    ];
    const thinkingConfig = { thinkingBudget: 2000 };
    expect(bodyOf({ thinkingConfig }, { model: 'claude-haiku-4-5', contents })['thinking']).toBeUndefined();
  });

  it('sends functions, and which of them may or must be called', () => {
    const tools = [{ functionDeclarations: [find, book] }];
    const choose = (mode: 'AUTO' | 'ANY' | 'NONE', allowedFunctionNames?: string[]) => {
      const body = bodyOf({ tools, toolConfig: { functionCallingConfig: { mode, allowedFunctionNames } } });
      return [(body['tools'] as { name: string }[]).map(({ name }) => name), body['tool_choice']];
    };
    expect(bodyOf({ tools })['tools']).toEqual([
      { name: 'find_rooms', description: 'Finds rooms.', input_schema: find.parametersJsonSchema },
      { name: 'book', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(choose('AUTO')).toEqual([['find_rooms', 'book'], undefined]);
    expect(choose('NONE')).toEqual([['find_rooms', 'book'], { type: 'none' }]);
    expect(choose('ANY')).toEqual([['find_rooms', 'book'], { type: 'any' }]);
    expect(choose('ANY', ['book'])).toEqual([['book'], { type: 'tool', name: 'book' }]);
    expect(choose('AUTO', ['book'])).toEqual([['book'], undefined]);
  });

  it('rejects parameters that are not an object with their path', () => {
    const convert = (parametersJsonSchema: object) =>
      bodyOf({
        tools: [{ functionDeclarations: [{ name: 'book', parametersJsonSchema: parametersJsonSchema as never }] }],
      });
    expect(() => convert({ type: 'array' })).toThrow(/tools\.book\.parameters: its root must be of type object/);
    expect(() => convert({ anyOf: [{ type: 'object' }, { type: 'null' }] })).toThrow(/must not have anyOf/);
  });

  it('sends the tools that Anthropic runs, without settings of other providers', () => {
    const tools = [{ webSearch: { max_uses: 2, search_context_size: 'low' } }, { codeExecution: {} }];
    expect(bodyOf({ tools })['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ]);
    expect(bodyOf({ tools: [{ googleSearch: { timeRangeFilter: {} } }] })['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search' },
    ]);
    const bothSearches = [{ googleSearch: {} }, { webSearch: { max_uses: 2 } }];
    expect(bodyOf({ tools: bothSearches })['tools']).toEqual([
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    ]);
    expect(() => bodyOf({ tools: [{ fileSearch: {} }] })).toThrow(/no tool fileSearch/);
  });

  it('merges providerOptions.anthropic, and reads betas and citations itself', () => {
    const { body, betas } = toAnthropicRequest(
      {
        contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }] }],
        config: { temperature: 1, tools: [{ functionDeclarations: [book] }], thinkingConfig: { thinkingLevel: 'low' } },
        providerOptions: {
          anthropic: {
            betas: ['fast-mode-2026-02-01'],
            citations: true,
            service_tier: 'standard_only',
            output_config: { effort: 'max' },
            tools: [{ type: 'bash_20250124', name: 'bash' }],
            thinking: null,
          },
        },
      },
      { model: 'claude-sonnet-5-5', endpoint: { name: 'anthropic' }, stream: true },
    );
    expect(betas).toEqual(['fast-mode-2026-02-01']);
    expect(body).toMatchObject({ stream: true, service_tier: 'standard_only', output_config: { effort: 'max' } });
    expect(body['thinking']).toBeUndefined();
    expect((body['tools'] as { name: string }[]).map(({ name }) => name)).toEqual(['book', 'bash']);
    expect(body['messages']).toMatchObject([{ content: [{ type: 'document', citations: { enabled: true } }] }]);
    expect(() => bodyOf({}, { providerOptions: { anthropic: { betas: 'x' } } })).toThrow(/betas must be a list/);
    expect(() => bodyOf({}, { providerOptions: { anthropic: { messages: [] } } })).toThrow(/messages is not an option/);
  });
});

describe('responseJsonSchema', () => {
  const format = (schema: object) => bodyOf({ responseJsonSchema: schema as never })['output_config'];

  const named = (name: string): object => ({ type: 'object', properties: { [name]: { type: 'string' } } });

  it('is converted in linear time if definitions refer to each other on many paths', () => {
    const definitions = Array.from({ length: 60 }, (_, i) => {
      const next = { $ref: `#/$defs/d${i + 1}` };
      return [`d${i}`, { type: 'object', properties: { left: next, right: next } }];
    });
    const $defs = Object.fromEntries([...definitions, ['d60', { type: 'string' }]]);
    expect(format({ type: 'object', properties: { root: { $ref: '#/$defs/d0' } }, $defs })).toBeDefined();
  });

  it('is sent with closed objects; limits become hints', () => {
    const schema = {
      type: 'object',
      properties: {
        nights: { type: 'integer', minimum: 1, description: 'Nights.' },
        room: { $ref: '#/$defs/room' },
      },
      required: ['nights'],
      $defs: { room: { type: 'object', properties: { view: { oneOf: [{ type: 'string' }, { type: 'null' }] } } } },
    };
    expect(format(schema)).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            nights: { type: 'integer', description: 'Nights. (minimum: 1)' },
            room: { $ref: '#/$defs/room' },
          },
          required: ['nights'],
          $defs: {
            room: {
              type: 'object',
              properties: { view: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
              additionalProperties: false,
            },
          },
          additionalProperties: false,
        },
      },
    });
  });

  it.each([
    ['a record', { type: 'object', additionalProperties: { type: 'number' } }],
    ['an object without properties', { type: 'object', properties: { a: { type: 'object' } } }],
    ['recursion', { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } } }],
    ['a choice of further properties', { ...named('id'), anyOf: [named('a'), named('b')] }],
    ['allOf with a reference', { allOf: [{ $ref: '#/$defs/a' }, named('b')], $defs: { a: named('a') } }],
    ['patternProperties', { type: 'object', properties: {}, patternProperties: { '^a': { type: 'string' } } }],
  ])('is described in the instruction if it has %s', (_, schema) => {
    const body = bodyOf({ systemInstruction: 'Be kind.', responseJsonSchema: schema as never });
    expect(body['output_config']).toBeUndefined();
    expect(body['system']).toMatch(/^Be kind\.\n\nAnswer only with JSON that is valid against this JSON Schema: \{/);
  });

  it('is not needed for JSON with responseMimeType', () => {
    expect(bodyOf({ responseMimeType: 'application/json' })['system']).toBe('Answer only with JSON.');
  });
});

describe('contextCache', () => {
  const cache = { type: 'ephemeral' };
  const contents: LlmRequest['contents'] = ['one', 'two', 'three', 'four', 'five'].map((text, i) => ({
    role: i % 2 === 0 ? ('user' as const) : ('model' as const),
    parts: [{ text }],
  }));
  const config = { systemInstruction: 'Be kind.', tools: [{ functionDeclarations: [find, book] }] };

  it('sets breakpoints after the tools, the instruction and the last two messages of the user', () => {
    const body = bodyOf(config, { contents, contextCache: { key: 'k' } });
    expect(body['tools']).toMatchObject([{ name: 'find_rooms' }, { name: 'book', cache_control: cache }]);
    expect(body['system']).toEqual([{ type: 'text', text: 'Be kind.', cache_control: cache }]);
    const hasBreakpoint = (body['messages'] as { content: { cache_control?: object }[] }[]).map(
      ({ content }) => content.at(-1)!.cache_control !== undefined,
    );
    expect(hasBreakpoint).toEqual([false, false, true, false, true]);
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  it('requests an hour for a lifetime over five minutes', () => {
    const body = bodyOf(config, { contextCache: { key: 'k', ttlSeconds: 1800 } });
    expect(body['system']).toMatchObject([{ cache_control: { type: 'ephemeral', ttl: '1h' } }]);
  });

  it('sets no breakpoints for a prompt under minTokens, and none if the caller sets them', () => {
    const small = bodyOf(config, { contextCache: { key: 'k', minTokens: 5000 } });
    expect(JSON.stringify(small)).not.toContain('cache_control');
    const callerOptions = { providerOptions: { anthropic: { cache_control: cache } } };
    const body = bodyOf(config, { contextCache: { key: 'k' }, ...callerOptions });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(1);
  });
});
