import { TholeError } from '@thole/core';
import { failInvalidJson, invalidInput, isPlainObject, JsonCopier, rejectUnknownOptions } from '@thole/core/kit';
import type { FunctionDeclaration, JsonObject, OutputOf, Tool, ToolContext } from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';
import { readSchemaInput } from './read-schema-input.ts';
import type { ParametersInput } from './read-schema-input.ts';

/** What `execute` gets: a Standard Schema's output, otherwise a JSON object. */
export type ArgumentsOf<Parameters> = Parameters extends
  | { readonly '~standard': unknown }
  | { readonly schema: { readonly '~standard': unknown } }
  ? OutputOf<Parameters>
  : JsonObject;

/** What a `FunctionTool` is made of. `Deps` is the type of what the caller of a run gives its tools. */
export interface FunctionToolOptions<Parameters extends ParametersInput | undefined = undefined, Deps = unknown> {
  /** Letters, digits, `_` and `-`, at most 64, beginning with a letter or `_`. */
  name: string;
  /** Tells the model what the tool does and when to call it. */
  description: string;
  /** What arguments it takes: an object. None: it takes no arguments. */
  parameters?: Parameters | undefined;
  /**
   * Runs one call. An object is the answer as it is, anything else stands under `result`; what it throws is answered to the
   * model as an error. Give `toolContext.signal` to every wait.
   */
  execute(args: ArgumentsOf<Parameters>, toolContext: ToolContext<Deps>): unknown;
  /** The true answer comes later, in a message of its own; what `execute` gives is a first note. */
  isLongRunning?: boolean | undefined;
  /** May run again with the same `toolContext.idempotencyKey` when nobody knows whether it has run. */
  idempotent?: boolean | undefined;
  /** Time limit of a call in milliseconds; the call is answered as timed out then. `Infinity` means no limit, also where the run has one. */
  timeoutMs?: number | undefined;
}

/**
 * A function that a model can call. Arguments are checked before `execute` runs, and it gets what the schema makes of them
 * (defaults filled in, values transformed). Arguments that do not fit throw `INVALID_INPUT` with `details: {refused: true}`
 * and a message that says what was expected where: the flow answers it to the model, and `execute` has not run.
 * Made with `INVALID_INPUT` for a bad name, description, schema or option, `SCHEMA_UNSUPPORTED` for a schema of a library
 * that writes no JSON Schema.
 */
export class FunctionTool<Parameters extends ParametersInput | undefined = undefined, Deps = unknown> implements Tool {
  readonly name: string;
  readonly description: string;
  readonly isLongRunning?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  // Neither field speaks of the type parameters: any FunctionTool<…> is a FunctionTool, and can stand in a list of them.
  readonly #parameters: ReadSchema | undefined;
  readonly #declaration: FunctionDeclaration;
  readonly #execute: (args: never, toolContext: never) => unknown;

  constructor(options: FunctionToolOptions<Parameters, Deps>) {
    assertOptions(options);
    this.name = options.name;
    this.description = options.description;
    this.isLongRunning = options.isLongRunning;
    this.idempotent = options.idempotent;
    this.timeoutMs = options.timeoutMs;
    this.#parameters =
      options.parameters === undefined
        ? undefined
        : readSchemaInput(options.parameters, `parameters of tool ${options.name}`);
    this.#declaration = {
      name: this.name,
      description: this.description,
      parametersJsonSchema: declaredSchema(this.#parameters, options.name),
    };
    this.#execute = options.execute.bind(options);
  }

  declaration(): FunctionDeclaration {
    return { ...this.#declaration };
  }

  async runAsync(p: { args: JsonObject; toolContext: ToolContext }): Promise<unknown> {
    const args = await this.#check(p.args);
    // The run may have ended, or the call's time may be over, while the arguments were checked.
    p.toolContext?.signal?.throwIfAborted();
    // `deps` are what the caller of the run gave; only the caller can know that they are of this type.
    return this.#execute(args as never, p.toolContext as never);
  }

  async #check(args: JsonObject): Promise<unknown> {
    if (!this.#parameters) return args;
    const checked = await this.#parameters.validate(args);
    if ('value' in checked) return checked.value;
    throw new TholeError('INVALID_INPUT', `The arguments of ${this.name} were refused: ${listed(checked.issues)}.`, {
      details: { refused: true },
    });
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const OPTIONS: readonly string[] = [
  'name',
  'description',
  'parameters',
  'execute',
  'isLongRunning',
  'idempotent',
  'timeoutMs',
] satisfies (keyof FunctionToolOptions)[];

function assertOptions(options: unknown): void {
  if (!isPlainObject(options)) throw invalidInput('The options of a FunctionTool', 'an object', options);
  rejectUnknownOptions(options, OPTIONS, 'A FunctionTool');
  const { name, description, execute, timeoutMs } = options;
  if (typeof name !== 'string') throw invalidInput('A tool’s name', 'a string', name);
  if (!NAME.test(name)) {
    throw new TholeError(
      'INVALID_INPUT',
      `The tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, _ or -, beginning with a letter or _.`,
    );
  }
  if (typeof description !== 'string') throw invalidInput(`The description of tool ${name}`, 'a string', description);
  if (typeof execute !== 'function') throw invalidInput(`execute of tool ${name}`, 'a function', execute);
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw new TholeError('INVALID_INPUT', `timeoutMs of tool ${name} must be a positive number of milliseconds.`);
  }
}

/** `$schema` is left out: providers do not need it, and it costs tokens in every request. Frozen, as all requests share it. */
function declaredSchema(parameters: ReadSchema | undefined, tool: string): JsonObject {
  const { $schema: _, ...schema }: JsonObject = parameters?.jsonSchema ?? { properties: {} };
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    throw new TholeError(
      'INVALID_INPUT',
      `parameters of tool ${tool} must describe an object, with one member for each argument.`,
    );
  }
  const copier = new JsonCopier(failInvalidJson);
  return copier.copy({ type: 'object', ...schema }, `parameters of tool ${tool}`) as JsonObject;
}

const MOST_ISSUES = 10;

function listed(issues: readonly string[]): string {
  const more = issues.length - MOST_ISSUES;
  return `${issues.slice(0, MOST_ISSUES).join('; ')}${more > 0 ? `; and ${more} more` : ''}`.replace(/\.+$/, '');
}
