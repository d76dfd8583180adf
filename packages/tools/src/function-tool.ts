import { TholeError } from '@thole/core';
import {
  assertDuration,
  failInvalidJson,
  invalidInput,
  JsonCopier,
  optionNames,
  rejectUnknownOptions,
  resolveSchemaRoot,
} from '@thole/core/kit';
import type {
  FunctionDeclaration,
  JsonObject,
  OutputOf,
  RequireConfirmation,
  Tool,
  ToolContext,
  ToolProbe,
} from '@thole/core';
import type { ReadSchema } from '@thole/core/kit';
import { bindConfirmation } from './bind-confirmation.ts';
import { readSchemaInput } from './read-schema-input.ts';
import type { ParametersInput } from './read-schema-input.ts';

/** The arguments of `execute`: the output of a Standard Schema, otherwise a JSON object. */
export type ArgumentsOf<Parameters> = Parameters extends
  | { readonly '~standard': unknown }
  | { readonly schema: { readonly '~standard': unknown } }
  ? OutputOf<Parameters>
  : JsonObject;

/** Options of `FunctionTool`. `Deps` is the type of the `deps` of a run. */
export interface FunctionToolOptions<Parameters extends ParametersInput | undefined = undefined, Deps = unknown> {
  /** Letters, digits, `_` and `-`, at most 64 characters. It starts with a letter or `_`. */
  name: string;
  /** Tells the model what the tool does and when to call it. */
  description: string;
  /** Schema of the arguments, an object. Default: no arguments. */
  parameters?: Parameters | undefined;
  /**
   * Runs one call. A returned object is the answer; any other value becomes `{result: value}`. A thrown error is
   * returned to the model. Pass `toolContext.signal` to every call that waits.
   */
  execute(args: ArgumentsOf<Parameters>, toolContext: ToolContext<Deps>): unknown;
  /** True if the final answer arrives later in a separate message. The result of `execute` is then a first note. */
  isLongRunning?: boolean | undefined;
  /**
   * True if the tool may run again with the same `toolContext.idempotencyKey` when the outcome of the first run is
   * unknown.
   */
  idempotent?: boolean | undefined;
  /**
   * Time limit of a call in milliseconds; the model then gets a timeout error. `Infinity` means no limit, also if
   * the run has one.
   */
  timeoutMs?: number | undefined;
  /**
   * True, or a function that returns true, if a person must confirm a call before `execute` runs. The function receives the
   * arguments as the model sent them. Default: false.
   */
  requireConfirmation?: RequireConfirmation | undefined;
  /** Time until a request for a confirmation or input expires, in milliseconds. Default: `interruptTtlMs` of the app. */
  confirmationTtlMs?: number | undefined;
  /** True if a person may change the arguments when confirming a call. Default: false. */
  allowEditedArguments?: boolean | undefined;
  /** True if a long-running call accepts answers with `willContinue`, which leave it open. Default: false. */
  acceptsUpdates?: boolean | undefined;
  /** `ask-model` calls the model after each update of a long-running call. Default: `store`. */
  onUpdate?: 'ask-model' | 'store' | undefined;
  /**
   * Checks whether a call took effect if its run ended before the answer was stored. Returns the result of the call,
   * `not-done` to run the call, or `unknown`.
   */
  probe?: ToolProbe | undefined;
}

/**
 * A function that a model can call. Arguments are validated before `execute` runs. `execute` receives the output of
 * the schema: with defaults and transformed values. Invalid arguments throw `INVALID_INPUT` with
 * `details: {refused: true}`, and `execute` does not run. A run returns the message to the model; it contains the path
 * and the expected value of each invalid argument. The constructor throws `INVALID_INPUT` for an invalid name,
 * description, schema or option, and `SCHEMA_UNSUPPORTED` if the schema's library provides no JSON Schema.
 */
export class FunctionTool<Parameters extends ParametersInput | undefined = undefined, Deps = unknown> implements Tool {
  readonly name: string;
  readonly description: string;
  readonly isLongRunning?: boolean | undefined;
  readonly idempotent?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly requireConfirmation?: RequireConfirmation | undefined;
  readonly confirmationTtlMs?: number | undefined;
  readonly allowEditedArguments?: boolean | undefined;
  readonly acceptsUpdates?: boolean | undefined;
  readonly onUpdate?: 'ask-model' | 'store' | undefined;
  readonly probe?: ToolProbe | undefined;
  // These fields do not use the type parameters, so that a list of `FunctionTool` can contain every `FunctionTool<…>`.
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
    this.requireConfirmation = bindConfirmation(options);
    this.confirmationTtlMs = options.confirmationTtlMs;
    this.allowEditedArguments = options.allowEditedArguments;
    this.acceptsUpdates = options.acceptsUpdates;
    this.onUpdate = options.onUpdate;
    this.probe = options.probe?.bind(options);
    this.#parameters =
      options.parameters === undefined
        ? undefined
        : readSchemaInput(options.parameters, `parameters of tool ${options.name}`);
    this.#declaration = {
      name: this.name,
      description: this.description,
      parametersJsonSchema: createDeclaredSchema(this.#parameters, options.name),
    };
    this.#execute = options.execute.bind(options);
  }

  declaration(): FunctionDeclaration {
    return { ...this.#declaration };
  }

  async runAsync(p: { args: JsonObject; toolContext: ToolContext }): Promise<unknown> {
    const args = await this.#validate(p.args);
    // The run may have ended, or the call may have timed out, during validation.
    p.toolContext?.signal?.throwIfAborted();
    // Only the caller of the run knows the type of `deps`.
    return this.#execute(args as never, p.toolContext as never);
  }

  async checkArguments(args: JsonObject): Promise<void> {
    await this.#validate(args);
  }

  async #validate(args: JsonObject): Promise<unknown> {
    if (!this.#parameters) return args;
    const result = await this.#parameters.validate(args);
    if ('value' in result) return result.value;
    throw new TholeError(
      'INVALID_INPUT',
      `The arguments of ${this.name} are invalid: ${formatIssues(result.issues)}.`,
      {
        details: { refused: true },
      },
    );
  }
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const knownOptions = optionNames<FunctionToolOptions>({
  name: true,
  description: true,
  parameters: true,
  execute: true,
  isLongRunning: true,
  idempotent: true,
  timeoutMs: true,
  requireConfirmation: true,
  confirmationTtlMs: true,
  allowEditedArguments: true,
  acceptsUpdates: true,
  onUpdate: true,
  probe: true,
});

function assertOptions(options: unknown): void {
  rejectUnknownOptions(options, knownOptions, 'FunctionTool');
  const { name, description, execute, timeoutMs } = options as { [name: string]: unknown };
  if (typeof name !== 'string') throw invalidInput('A tool’s name', 'a string', name);
  if (!NAME.test(name)) {
    throw new TholeError(
      'INVALID_INPUT',
      `The tool name ${JSON.stringify(name)} must be 1 to 64 letters, digits, _ or -, beginning with a letter or _.`,
    );
  }
  if (typeof description !== 'string') throw invalidInput(`The description of tool ${name}`, 'a string', description);
  if (typeof execute !== 'function') throw invalidInput(`execute of tool ${name}`, 'a function', execute);
  assertDurableOptions(name, options as FunctionToolOptions);
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs > 0)) {
    throw new TholeError('INVALID_INPUT', `timeoutMs of tool ${name} must be a positive number of milliseconds.`);
  }
}

function assertDurableOptions(tool: string, options: FunctionToolOptions): void {
  const { requireConfirmation, confirmationTtlMs, onUpdate, probe } = options;
  if (!['undefined', 'boolean', 'function'].includes(typeof requireConfirmation))
    throw invalidInput(`requireConfirmation of tool ${tool}`, 'a boolean or a function', requireConfirmation);
  if (confirmationTtlMs !== undefined) assertDuration(`confirmationTtlMs of tool ${tool}`, confirmationTtlMs);
  for (const name of ['isLongRunning', 'idempotent', 'allowEditedArguments', 'acceptsUpdates'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw invalidInput(`${name} of tool ${tool}`, 'a boolean', options[name]);
  }
  if (onUpdate !== undefined && onUpdate !== 'ask-model' && onUpdate !== 'store')
    throw invalidInput(`onUpdate of tool ${tool}`, "'ask-model' or 'store'", onUpdate);
  if (probe !== undefined && typeof probe !== 'function')
    throw invalidInput(`probe of tool ${tool}`, 'a function', probe);
}

/**
 * Returns the schema for the model without `$schema`, which providers do not need and which costs tokens. The schema
 * is frozen, because all requests share it.
 */
function createDeclaredSchema(parameters: ReadSchema | undefined, tool: string): JsonObject {
  const { $schema: _, ...schema } = resolveSchemaRoot(parameters?.jsonSchema ?? { properties: {} });
  if (schema['type'] !== undefined && schema['type'] !== 'object') {
    throw new TholeError(
      'INVALID_INPUT',
      `parameters of tool ${tool} must describe an object, with one member for each argument.`,
    );
  }
  const copier = new JsonCopier(failInvalidJson);
  return copier.copy({ type: 'object', ...schema }, `parameters of tool ${tool}`) as JsonObject;
}

function formatIssues(issues: readonly string[]): string {
  // Without the lookbehind, a long series of full stops inside the text would take quadratic time.
  return issues.join('; ').replace(/(?<!\.)\.+$/, '');
}
