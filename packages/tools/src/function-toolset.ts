import { TholeError } from '@thole/core';
import { filterResult, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { FunctionDeclaration, ReadonlyContext, Tool, Toolset } from '@thole/core';
import { bindConfirmation } from './bind-confirmation.ts';

/** Returns true if the tool is available in this context, for example to this user or with this state. */
export type ToolPredicate = (tool: Tool, context: ReadonlyContext) => boolean;

/** Options of `FunctionToolset`. */
export interface FunctionToolsetOptions {
  tools: readonly Tool[];
  /** Names (without the prefix) of the available tools, or a function that is called at each step. Default: all. */
  toolFilter?: readonly string[] | ToolPredicate | undefined;
  /** Added to each name with `_`: `hotel` changes `find_room` to `hotel_find_room`. */
  prefix?: string | undefined;
}

const knownOptions = optionNames<FunctionToolsetOptions>({ tools: true, toolFilter: true, prefix: true });

/**
 * A group of tools with an optional filter. It opens no resources, so `close` does nothing. Throws `DUPLICATE_NAME`
 * for two tools with one name, and `INVALID_INPUT` for a filter that names an unknown tool and for a prefix that is not
 * valid in a name. `getTools` throws `INVALID_INPUT` if the filter returns a promise.
 */
export class FunctionToolset implements Toolset {
  readonly #tools: readonly { tool: Tool; offeredTool: Tool }[];
  readonly #isOffered: ToolPredicate;

  constructor(options: FunctionToolsetOptions) {
    rejectUnknownOptions(options, knownOptions, 'FunctionToolset');
    const { tools, toolFilter, prefix } = options;
    if (!Array.isArray(tools)) throw invalidInput('tools', 'an array of tools', tools);
    assertNames(tools, toolFilter);
    assertPrefix(prefix, tools);
    this.#tools = tools.map((tool) => ({ tool, offeredTool: prefix ? addPrefix(tool, prefix) : tool }));
    this.#isOffered = typeof toolFilter === 'function' ? toolFilter : (tool) => toolFilter?.includes(tool.name) ?? true;
  }

  async getTools(context: ReadonlyContext): Promise<readonly Tool[]> {
    return this.#tools
      .filter(({ tool }) => filterResult(this.#isOffered(tool, context)))
      .map(({ offeredTool }) => offeredTool);
  }

  async close(): Promise<void> {}
}

function assertNames(tools: readonly Tool[], filter: FunctionToolsetOptions['toolFilter']): void {
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new TholeError('DUPLICATE_NAME', `Two tools of a FunctionToolset are named "${name}". Rename one of them.`);
    names.add(name);
  }
  for (const name of typeof filter === 'function' ? [] : (filter ?? [])) {
    if (!names.has(name))
      throw new TholeError('INVALID_INPUT', `toolFilter names ${name}, which is not a tool of the toolset.`);
  }
}

/** Throws `INVALID_INPUT` for a prefix that is not valid in names of tools, and for a name that becomes too long. */
function assertPrefix(prefix: unknown, tools: readonly Tool[]): void {
  if (prefix === undefined || prefix === '') return;
  if (typeof prefix !== 'string') throw invalidInput('prefix', 'a string', prefix);
  if (!/^[A-Za-z_][\w-]*$/.test(prefix))
    throw new TholeError(
      'INVALID_INPUT',
      'prefix must have only letters, digits, _ or -, and begin with a letter or _.',
    );
  const long = tools.find(({ name }) => name.length + prefix.length >= MAX_NAME_LENGTH);
  if (long)
    throw new TholeError(
      'INVALID_INPUT',
      `prefix and the tool name "${long.name}" have more than ${MAX_NAME_LENGTH} characters together. Use a shorter prefix.`,
    );
}

const MAX_NAME_LENGTH = 64;

// An optional method that the tool lacks must be absent from the copy, not undefined.
function addPrefix(tool: Tool, prefix: string): Tool {
  const name = `${prefix}_${tool.name}`;
  const { checkArguments, processLlmRequest, ...copy } = {
    name,
    description: tool.description,
    isLongRunning: tool.isLongRunning,
    idempotent: tool.idempotent,
    timeoutMs: tool.timeoutMs,
    requireConfirmation: bindConfirmation(tool),
    confirmationTtlMs: tool.confirmationTtlMs,
    allowEditedArguments: tool.allowEditedArguments,
    acceptsUpdates: tool.acceptsUpdates,
    onUpdate: tool.onUpdate,
    probe: tool.probe?.bind(tool),
    checkArguments: tool.checkArguments?.bind(tool),
    declaration: () => renameDeclaration(tool.declaration?.(), name),
    runAsync: async (p: Parameters<Tool['runAsync']>[0]) => tool.runAsync(p),
    processLlmRequest: tool.processLlmRequest?.bind(tool),
    // The compiler rejects a copy that lacks a member.
  } satisfies { [member in keyof Required<Tool>]: unknown };
  return { ...copy, ...(checkArguments && { checkArguments }), ...(processLlmRequest && { processLlmRequest }) };
}

function renameDeclaration(
  declaration: FunctionDeclaration | undefined,
  name: string,
): FunctionDeclaration | undefined {
  return declaration && { ...declaration, name };
}
