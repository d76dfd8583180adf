import { TholeError } from '@thole/core';
import { completeSchemaRoot, normalizeSchema } from '@thole/core/kit';
import type { FunctionDeclaration, GenerateContentConfig, JsonObject } from '@thole/core';
import type { RequestTarget } from './ai-sdk-options.ts';

/** Tools and tool choice in the AI SDK's format. */
export interface PromptTools {
  readonly tools?: JsonObject[] | undefined;
  readonly toolChoice?: JsonObject | undefined;
}

/**
 * Returns the functions, the provider's own tools, and the choice which of them may or must be called. If only some
 * functions are allowed, the model receives only those. Throws `INVALID_INPUT` for a declared tool that the provider would
 * run itself: each provider has its own names for such tools, so they must be in the option `providerTools`.
 */
export function toAiSdkTools({ tools = [], toolConfig }: GenerateContentConfig, target: RequestTarget): PromptTools {
  const declarations = tools.flatMap((tool) => {
    if ('functionDeclarations' in tool) return tool.functionDeclarations;
    const name = Object.keys(tool).join(', ');
    throw new TholeError(
      'INVALID_INPUT',
      `AiSdkLlm cannot send the tool ${name}. Pass the provider's own tool as providerTools of AiSdkLlm.`,
    );
  });
  const { mode = 'AUTO', allowedFunctionNames: allowed = [] } = toolConfig?.functionCallingConfig ?? {};
  const isLimited = mode !== 'NONE' && allowed.length > 0;
  const offered = isLimited ? declarations.filter(({ name }) => allowed.includes(name)) : declarations;
  const ownTools = (target.providerTools ?? []).map((tool): JsonObject => ({ type: 'provider', ...tool }));
  const sent = [...offered.map(toTool), ...ownTools];
  if (sent.length === 0) return {};
  return { tools: sent, ...toChoice(mode, offered) };
}

function toChoice(mode: string, offered: readonly FunctionDeclaration[]): PromptTools {
  if (mode === 'NONE') return { toolChoice: { type: 'none' } };
  if (mode !== 'ANY') return {};
  const [only] = offered;
  const isSingle = only !== undefined && offered.length === 1;
  return { toolChoice: isSingle ? { type: 'tool', toolName: only.name } : { type: 'required' } };
}

function toTool({ name, description, parametersJsonSchema }: FunctionDeclaration): JsonObject {
  const inputSchema = completeSchemaRoot(normalizeSchema(parametersJsonSchema ?? {}));
  return { type: 'function', name, ...(description !== undefined && { description }), inputSchema };
}
