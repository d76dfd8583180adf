import { AgentTree, TholeError } from '@thole/core';
import { isPlainObject, requestKindOf } from '@thole/core/kit';
import type { Agent, FunctionDeclaration, JsonObject } from '@thole/core';
import type { Runner } from '@thole/runner';
import { toolsOf } from '../routes/tools-of.ts';
import { isClientToolset } from './client-toolset.ts';
import type { ClientTool } from './run-input.ts';

const MAX_TOOLS = 128;
/** Maximum number of characters of all tools as JSON. */
const MAX_CHARS = 200_000;
const MAX_DEPTH = 32;
const reservedNames: readonly string[] = ['transfer_to_agent', 'set_model_response'];

/**
 * Returns the declarations of the client's tools. Empty if no agent has a `ClientToolset`. Throws `INVALID_INPUT` for tools that
 * are too large, and for a name that is invalid for models, that a tool of the agents has, or that occurs twice.
 */
export function readClientTools(tools: readonly ClientTool[], { agent }: Runner): FunctionDeclaration[] {
  if (tools.length === 0) return [];
  if (tools.length > MAX_TOOLS) throw invalid(`must have at most ${MAX_TOOLS} tools`);
  const agents = [...new AgentTree(agent)];
  if (!agents.some(hasClientToolset)) return [];
  const usedNames = new Set([...reservedNames, ...agents.flatMap((each) => toolsOf(each).map(({ name }) => name))]);
  const declarations = tools.map(({ description, name, parameters }, i): FunctionDeclaration => {
    if (!/^[A-Za-z_][\w-]{0,63}$/.test(name))
      throw invalid(`[${i}].name must have 1 to 64 letters, digits, _ and -, and begin with a letter or _`);
    if (usedNames.has(name) || requestKindOf(name) !== undefined)
      throw invalid(`[${i}].name is the name of another tool. Rename it`);
    usedNames.add(name);
    if (parameters == null) return { name, description };
    if (!isPlainObject(parameters)) throw invalid(`[${i}].parameters must be a JSON Schema object`);
    if (!isShallow(parameters, MAX_DEPTH)) throw invalid(`[${i}].parameters must have at most ${MAX_DEPTH} levels`);
    return { name, description, parametersJsonSchema: parameters as JsonObject };
  });
  if (JSON.stringify(declarations).length > MAX_CHARS) throw invalid(`must have at most ${MAX_CHARS} characters`);
  return declarations;
}

function hasClientToolset(agent: Agent): boolean {
  const { tools } = agent as { tools?: unknown };
  return Array.isArray(tools) && tools.some(isClientToolset);
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((each) => isShallow(each, levels - 1));
}

function invalid(problem: string): TholeError {
  return new TholeError('INVALID_INPUT', `body.tools${problem.startsWith('[') ? '' : ' '}${problem}.`);
}
