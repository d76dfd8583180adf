import type { JsonObject, Tool, ToolContext } from '@thole/core';
import { TholeError } from '@thole/core';
import { FixedRuntime, toolContextFor } from '@thole/testing';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { FunctionTool, jsonSchema, LongRunningFunctionTool } from '../src/index.ts';

const context = (): ToolContext => toolContextFor({ runtime: new FixedRuntime() });
const run = (tool: { runAsync: FunctionTool['runAsync'] }, args: JsonObject): Promise<unknown> =>
  tool.runAsync({ args, toolContext: context() });
const bookingAsJson = {
  type: 'object',
  properties: { city: { type: 'string' }, nights: { type: 'integer' } },
  required: ['city', 'nights'],
};

describe('parameters of FunctionTool', () => {
  it('declares an object for a schema whose root is a reference, such as that of meta({ id })', async () => {
    const city = z
      .object({
        city: z.string(),
        get near() {
          return city.optional();
        },
      })
      .meta({ id: 'City' });
    const tool = new FunctionTool({
      name: 'find',
      description: 'Finds.',
      parameters: city,
      execute: (args) => args.city,
    });
    expect(tool.declaration().parametersJsonSchema).toEqual({
      type: 'object',
      properties: { city: { type: 'string' }, near: { $ref: '#/$defs/City' } },
      required: ['city'],
      $defs: { City: expect.objectContaining({ type: 'object' }) },
    });
    expect(await run(tool, { city: 'Oslo' })).toBe('Oslo');
    const name = { $ref: '#/$defs/name', $defs: { name: { type: 'string' } } };
    expect(() => new FunctionTool({ name: 'find', description: '', parameters: name, execute: () => 1 })).toThrow(
      /parameters of tool find must describe an object/,
    );
  });

  const schemas = {
    zod: z.object({ city: z.string(), nights: z.number() }),
    valibot: { schema: v.object({ city: v.string(), nights: v.number() }), jsonSchema: bookingAsJson },
    arktype: type({ city: 'string', nights: 'number' }),
    'JSON Schema': bookingAsJson,
    'jsonSchema()': jsonSchema(bookingAsJson),
  };

  for (const [name, parameters] of Object.entries(schemas)) {
    const tool = new FunctionTool({
      name: 'book',
      description: 'Books.',
      parameters,
      execute: (args) => ({ booked: args }),
    });

    it(`passes valid arguments to execute, with ${name}`, async () => {
      expect(await run(tool, { city: 'Oslo', nights: 2 })).toEqual({ booked: { city: 'Oslo', nights: 2 } });
    });

    it(`describes each argument to the model, with ${name}`, () => {
      expect(tool.declaration().parametersJsonSchema).toMatchObject({
        type: 'object',
        properties: { city: { type: 'string' } },
        required: ['city', 'nights'],
      });
      expect(tool.declaration().parametersJsonSchema).not.toHaveProperty('$schema');
    });

    it(`rejects invalid arguments before execute runs, with ${name} (contract 18)`, async () => {
      let ran = 0;
      const counting = new FunctionTool({ name: 'book', description: 'Books.', parameters, execute: () => void ran++ });
      const error = await run(counting, { city: 7, nights: 2 }).catch((thrown: unknown) => thrown);
      expect(TholeError.is(error, 'INVALID_INPUT')).toBe(true);
      expect(error).toMatchObject({
        details: { refused: true },
        message: expect.stringMatching(/arguments of book .*city.*string/i),
      });
      expect(ran).toBe(0);
    });

    it(`names a missing argument in the error, with ${name}`, async () => {
      await expect(run(tool, { city: 'Oslo' })).rejects.toThrow(/nights/);
    });
  }
});

describe('arguments of FunctionTool', () => {
  // Quadratic time would exceed the time limit of the test.
  it('are rejected in linear time if a name has many full stops', async () => {
    const parameters = z.strictObject({ city: z.string() });
    const tool = new FunctionTool({ name: 'book', description: 'Books.', parameters, execute: () => 'booked' });
    await expect(run(tool, { city: 'Oslo', [`${'.'.repeat(200_000)}x`]: 1 })).rejects.toThrow('arguments of book');
  });
});

describe('types of FunctionTool', () => {
  it('infers the arguments from zod, after defaults and transforms', async () => {
    const tool = new FunctionTool({
      name: 'book',
      description: 'Books.',
      parameters: z.object({
        city: z.string(),
        nights: z.number().default(1),
        when: z.string().transform((text) => text.length),
      }),
      execute(args) {
        expectTypeOf(args).toEqualTypeOf<{ city: string; nights: number; when: number }>();
        return args;
      },
    });
    expect(await run(tool, { city: 'Oslo', when: 'now' })).toEqual({ city: 'Oslo', nights: 1, when: 3 });
    expect(tool.declaration().parametersJsonSchema?.['required']).toEqual(['city', 'when']);
  });

  it('infers the arguments from valibot, arktype and jsonSchema<T>()', () => {
    void new FunctionTool({
      name: 'a',
      description: 'A.',
      parameters: {
        schema: v.object({ city: v.string(), nights: v.optional(v.number(), 1) }),
        jsonSchema: bookingAsJson,
      },
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string; nights: number }>(),
    });
    void new FunctionTool({
      name: 'b',
      description: 'B.',
      parameters: type({ city: 'string', 'nights?': 'number' }),
      execute: (args) => expectTypeOf(args.city).toEqualTypeOf<string>(),
    });
    void new FunctionTool({
      name: 'c',
      description: 'C.',
      parameters: jsonSchema<{ city: string }>({ type: 'object' }),
      execute: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>(),
    });
  });

  it('allows tools with different arguments in one list', () => {
    const typed = new FunctionTool({
      name: 'a',
      description: 'A.',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => city,
    });
    expectTypeOf<(typeof typed)[]>().toExtend<FunctionTool[]>();
    expectTypeOf(typed).toExtend<Tool>();
  });

  it('passes JSON for a plain JSON Schema, or without a schema', () => {
    void new FunctionTool({
      name: 'a',
      description: 'A.',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    });
    void new FunctionTool({
      name: 'b',
      description: 'B.',
      execute: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    });
  });

  it('infers the type of deps from the context of execute', async () => {
    interface Deps {
      rooms: string[];
    }
    const tool = new FunctionTool({
      name: 'rooms',
      description: 'Lists rooms.',
      parameters: z.object({ city: z.string() }),
      execute(args, toolContext: ToolContext<Deps>) {
        expectTypeOf(args).toEqualTypeOf<{ city: string }>();
        expectTypeOf(toolContext.deps.rooms).toEqualTypeOf<string[]>();
        return toolContext.deps.rooms;
      },
    });
    const toolContext = toolContextFor({ runtime: new FixedRuntime(), deps: { rooms: ['12'] } });
    expect(await tool.runAsync({ args: { city: 'Oslo' }, toolContext })).toEqual(['12']);
  });
});

describe('FunctionTool options', () => {
  it('declares an empty object without parameters', () => {
    const tool = new FunctionTool({ name: 'ping', description: 'Pings.', execute: () => 'pong' });
    expect(tool.declaration()).toEqual({
      name: 'ping',
      description: 'Pings.',
      parametersJsonSchema: { type: 'object', properties: {} },
    });
  });

  it('keeps a declaration that no request can change', () => {
    const tool = new FunctionTool({ name: 'book', description: 'Books.', parameters: bookingAsJson, execute: () => 1 });
    expect(Object.isFrozen(tool.declaration().parametersJsonSchema!['properties'])).toBe(true);
    expect(Object.isFrozen(bookingAsJson.properties)).toBe(false);
  });

  it('passes its options to the flow', () => {
    const tool = new FunctionTool({
      name: 'ping',
      description: 'Pings.',
      idempotent: true,
      timeoutMs: 50,
      isLongRunning: true,
      execute: () => 1,
    });
    expect(tool).toMatchObject({ idempotent: true, timeoutMs: 50, isLongRunning: true });
  });

  it('calls requireConfirmation on its options', () => {
    const tool = new FunctionTool({
      name: 'pay',
      description: 'Pays.',
      requireConfirmation(this: { name: string }) {
        return this.name === 'pay';
      },
      execute: () => 1,
    });
    expect((tool.requireConfirmation as () => boolean)()).toBe(true);
  });

  it('throws errors of execute unchanged, so that they differ from rejected arguments', async () => {
    const failure = new TholeError('INVALID_INPUT', 'No such room.');
    const tool = new FunctionTool({
      name: 'book',
      description: 'Books.',
      parameters: z.object({}),
      execute: () => {
        throw failure;
      },
    });
    await expect(run(tool, {})).rejects.toBe(failure);
    expect(failure.details).toBeUndefined();
  });

  it('lists at most ten errors, and the count of the others', async () => {
    const tool = new FunctionTool({
      name: 'sum',
      description: 'Adds.',
      parameters: { type: 'object', properties: { all: { type: 'array', items: { type: 'number' } } } },
      execute: () => 0,
    });
    await expect(run(tool, { all: Array.from({ length: 30 }, () => 'x') })).rejects.toThrow(
      /all\.9: .*; and 20 more$|all\.9: .*and 20 more\.$/,
    );
  });

  it('instructs the model not to repeat a pending call of a long-running tool', () => {
    const tool = new LongRunningFunctionTool({ name: 'ask', description: 'Asks.', execute: () => ({ ticket: 1 }) });
    expect(tool.isLongRunning).toBe(true);
    expect(tool.declaration().description).toMatch(/^Asks\.\n\n.*do not repeat/);
  });

  it.each([
    [
      'no description',
      { name: 'ask', execute: () => 1 },
      /^The description of tool ask must be a string, got undefined/,
    ],
    ['no options', undefined, /FunctionTool/],
  ])('rejects a long-running tool with %s with INVALID_INPUT', (_, options, message) => {
    expect(() => new LongRunningFunctionTool(options as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }),
    );
  });
});

describe('new FunctionTool', () => {
  const create =
    (change: object): (() => unknown) =>
    () =>
      new FunctionTool({ name: 'book', description: 'Books.', execute: () => 1, ...change });

  it.each([
    ['a name with a space', { name: 'book room' }, /"book room" must be/],
    ['a name of 65 letters', { name: 'a'.repeat(65) }, /must be 1 to 64/],
    ['an undefined name', { name: undefined }, /name must be a string, got undefined/],
    ['a description that is not a string', { description: 7 }, /description of tool book must be a string/],
    ['an undefined execute', { execute: undefined }, /execute of tool book must be a function/],
    ['a timeoutMs of 0', { timeoutMs: 0 }, /timeoutMs of tool book/],
    ['parameters that are an array', { parameters: [] }, /parameters of tool book must be/],
    ['idempotent that is not a boolean', { idempotent: 'no' }, /idempotent of tool book must be a boolean/],
    ['isLongRunning that is not a boolean', { isLongRunning: 1 }, /isLongRunning of tool book must be a boolean/],
    ['a schema of a string', { parameters: z.string() }, /parameters of tool book must describe an object/],
    [
      'parameters that are not JSON',
      { parameters: { type: 'object', default: new Date(0) } },
      /parameters of tool book\.default/,
    ],
  ])('rejects %s with INVALID_INPUT', (_name, change, message) => {
    expect(create(change)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringMatching(message) }),
    );
  });

  it('rejects a valibot schema without JSON Schema and names the vendor', () => {
    expect(create({ parameters: v.object({}) })).toThrow(
      expect.objectContaining({ code: 'SCHEMA_UNSUPPORTED', message: expect.stringContaining('valibot') }),
    );
  });
});

describe('FunctionTool.runAsync', () => {
  it('does not call execute if the signal is aborted during the validation of arguments', async () => {
    const controller = new AbortController();
    let runs = 0;
    const tool = new FunctionTool({
      name: 'work',
      description: 'Works.',
      parameters: {
        jsonSchema: { type: 'object' },
        schema: {
          '~standard': {
            version: 1,
            vendor: 'test',
            validate: async (value: unknown) => {
              controller.abort(new Error('enough'));
              return { value };
            },
          },
        },
      },
      execute: () => void runs++,
    });
    const toolContext = toolContextFor({ runtime: new FixedRuntime(), signal: controller.signal });
    await expect(tool.runAsync({ args: {}, toolContext })).rejects.toThrow('enough');
    expect(runs).toBe(0);
  });
});
