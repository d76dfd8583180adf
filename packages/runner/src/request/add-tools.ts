import { TholeError } from '@thole/core';
import { invalidInput, requestKindOf, setOwn } from '@thole/core/kit';
import type { FunctionDeclaration, LlmRequest, Tool, ToolDeclaration, Toolset } from '@thole/core';
import { logFailure } from '../hooks/log-failure.ts';
import { readonlyContext } from '../hooks/readonly-context.ts';
import type { RequestDraft } from './request-draft.ts';

/**
 * Declares the agent's tools and calls their `processLlmRequest`. Each toolset is called once. Throws `DUPLICATE_NAME` for
 * two tools with one name, `TOOL_FAILED` for an error of a tool, and `INVALID_INPUT` for a toolset that does not return tools.
 */
export function addTools(draft: RequestDraft): void | Promise<void> {
  const { tools } = draft.agent;
  if (tools.length === 0) return;
  if (tools.some((tool) => isToolset(tool) || 'processLlmRequest' in tool)) return addAll(draft);
  tools.forEach((tool, i) => addTool(draft, tool as Tool, `tools[${i}]`));
}

/** Declares one tool. A tool without a declaration is skipped. `origin` names the tool's source in errors. */
export function addTool(draft: RequestDraft, tool: Tool, origin: string): void {
  const declaration = tool.declaration?.();
  if (!declaration) return;
  const tools = (draft.tools ??= new Map());
  const origins = (draft.origins ??= new Map());
  assertNotReserved(draft.agent.name, tool, origin);
  if (tools.has(tool.name)) throw duplicateTool(draft.agent.name, tool.name, origins.get(tool.name) ?? '', origin);
  tools.set(tool.name, tool);
  origins.set(tool.name, origin);
  declarationsIn(draft.request).push(declaration);
}

/**
 * Throws `INVALID_INPUT` for a value that is neither a tool nor a toolset and for a reserved name, and `DUPLICATE_NAME` for
 * two tools with one name.
 */
export function assertToolNames(agentName: string, tools: readonly (Tool | Toolset)[]): void {
  const origins = new Map<string, string>();
  tools.forEach((tool, i) => {
    const origin = `tools[${i}]`;
    if (typeof tool === 'object' && tool !== null && isToolset(tool)) return;
    assertTool(`Agent ${agentName}: ${origin}`, 'a tool or a toolset', tool);
    assertNotReserved(agentName, tool, origin);
    const other = origins.get(tool.name);
    if (other !== undefined) throw duplicateTool(agentName, tool.name, other, origin);
    origins.set(tool.name, origin);
  });
}

/** Throws `INVALID_INPUT` unless `tools`, which `getTools` of the agent's toolset at `index` returned, is an array of tools. */
export function assertToolsetResult(
  agent: { readonly name: string; readonly tools: readonly (Tool | Toolset)[] },
  index: number,
  tools: unknown,
): asserts tools is readonly Tool[] {
  const name = (agent.tools[index] as { constructor?: { name?: string } }).constructor?.name;
  const className = name && name !== 'Object' ? ` (${name})` : '';
  const source = `Agent ${agent.name}: the result of getTools of tools[${index}]${className}`;
  if (!Array.isArray(tools)) throw invalidInput(source, 'an array of tools', tools);
  for (const [i, tool] of tools.entries()) assertTool(`${source} at index ${i}`, 'a tool', tool);
}

function assertTool(source: string, expected: string, tool: unknown): asserts tool is Tool {
  if (typeof tool === 'function') throw invalidInput(source, `${expected} (wrap a function in FunctionTool)`, tool);
  const { runAsync, name } = (tool ?? {}) as Partial<Tool>;
  if (typeof tool !== 'object' || typeof runAsync !== 'function') throw invalidInput(source, expected, tool);
  // Agents also have `runAsync`, and would be ignored without an error.
  if (isAgent(tool as Tool)) {
    throw new TholeError(
      'INVALID_INPUT',
      `${source} (${name}) is an agent, not a tool. Wrap it: new AgentTool({ agent: ${name} }).`,
    );
  }
  if (typeof name !== 'string' || name === '') {
    throw invalidInput(`${source}.name`, 'a string that is not empty', name);
  }
}

/** Throws `INVALID_INPUT` for a name of the calls that record interrupts: models do not see such calls. */
function assertNotReserved(agentName: string, { name }: Tool, origin: string): void {
  if (requestKindOf(name) === undefined) return;
  const message = `Agent ${agentName}: ${origin} must have another name than ${name}, which records an interrupt.`;
  throw new TholeError('INVALID_INPUT', message);
}

function isAgent(tool: Tool): boolean {
  const { description, declaration, processLlmRequest } = tool as Partial<Tool>;
  return 'subAgents' in tool || (description === undefined && !declaration && !processLlmRequest);
}

function duplicateTool(agentName: string, name: string, one: string, other: string): TholeError {
  return new TholeError('DUPLICATE_NAME', `Agent ${agentName} has two tools called ${name}: ${one} and ${other}.`);
}

function isToolset(tool: Tool | Toolset): tool is Toolset {
  return typeof (tool as Partial<Toolset>).getTools === 'function';
}

async function addAll(draft: RequestDraft): Promise<void> {
  const { agent, context, support } = draft;
  const resolved = await Promise.all(
    agent.tools.map(async (tool, i) => {
      if (!isToolset(tool)) return [tool];
      support.addToolset(tool);
      return callOrFail(draft, `The toolset tools[${i}]`, 'getTools', () => tool.getTools(readonlyContext(context)));
    }),
  );
  context.signal.throwIfAborted();
  for (const [i, tools] of resolved.entries()) {
    const source = agent.tools[i]!;
    if (isToolset(source)) assertToolsetResult(agent, i, tools);
    for (const tool of tools) {
      addTool(draft, tool, isToolset(source) ? `${tool.name} of the toolset tools[${i}]` : `tools[${i}]`);
      if (!tool.processLlmRequest) continue;
      await processRequest(draft, tool);
      context.signal.throwIfAborted();
    }
  }
}

// State that a tool writes in `processLlmRequest` is visible at once and stored with the next event.
async function processRequest(draft: RequestDraft, tool: Tool): Promise<void> {
  const { context, support, request, artifactDelta } = draft;
  const open = support.openToolContext({ functionCallId: '' });
  try {
    await callOrFail(draft, `Tool ${tool.name}`, 'processLlmRequest', async () =>
      tool.processLlmRequest?.({ toolContext: open.context, llmRequest: request }),
    );
  } finally {
    const actions = open.close();
    context.state.update(actions.stateDelta);
    for (const [name, version] of Object.entries(actions.artifactDelta)) setOwn(artifactDelta, name, version);
  }
}

// The model is not called yet, so it cannot correct the error. The error ends the run.
async function callOrFail<T>(
  { agent, context }: RequestDraft,
  source: string,
  method: string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    context.signal.throwIfAborted();
    const message = `${source} of agent ${agent.name} failed in ${method}${reasonIn(cause)}`;
    const error = new TholeError('TOOL_FAILED', message, { cause });
    logFailure(context, 'A tool failed.', error);
    throw error;
  }
}

/** Returns the end of a sentence with the message of a `TholeError`. Messages of other errors may contain secrets. */
export function reasonIn(cause: unknown): string {
  return TholeError.is(cause) ? `: ${cause.message}` : '.';
}

// Returns the list of function declarations. Tools that a provider runs itself are separate entries of `tools`.
function declarationsIn({ config }: LlmRequest): FunctionDeclaration[] {
  const tools = (config.tools ??= []);
  for (const tool of tools) if ('functionDeclarations' in tool) return tool.functionDeclarations;
  const added: ToolDeclaration & { functionDeclarations: FunctionDeclaration[] } = { functionDeclarations: [] };
  tools.push(added);
  return added.functionDeclarations;
}
