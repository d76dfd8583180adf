import { TholeError } from '@thole/core';
import { normalizeSchema } from '@thole/core/kit';
import type { FunctionDeclaration, GenerateContentConfig } from '@thole/core';
import type OpenAI from 'openai';
import { checkSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';
import { strictly } from './strictly.ts';

type Tools = Pick<OpenAI.Chat.ChatCompletionCreateParams, 'tools' | 'tool_choice'>;

/**
 * Returns functions and which of them may or must be called. If only some are allowed, OpenAI gets their names;
 * other servers see only those. Throws `INVALID_INPUT` for a tool that the provider would run itself: this API has
 * none.
 */
export function toChatTools(config: GenerateContentConfig, p: ChatSchemas & { isStrict: boolean }): Tools {
  const declarations = (config.tools ?? []).flatMap((tool) => {
    if ('functionDeclarations' in tool) return tool.functionDeclarations;
    throw new TholeError(
      'INVALID_INPUT',
      `Chat Completions has no tool ${Object.keys(tool).join(', ')}. Use OpenAI with api: 'responses', which has it.`,
    );
  });
  const { mode = 'AUTO', allowedFunctionNames: allowed = [] } = config.toolConfig?.functionCallingConfig ?? {};
  const isChosen = mode !== 'NONE' && allowed.length > 0;
  const shown = isChosen && !p.isOpenAi ? declarations.filter(({ name }) => allowed.includes(name)) : declarations;
  if (shown.length === 0) return {};
  const tools = shown.map((declaration) => toTool(declaration, p));
  const must = mode === 'ANY' ? 'required' : 'auto';
  if (!isChosen) return { tools, ...(mode !== 'AUTO' && { tool_choice: mode === 'NONE' ? 'none' : must }) };
  const named = allowed.map((name) => ({ type: 'function' as const, function: { name } }));
  if (named.length === 1 && mode === 'ANY') return { tools, tool_choice: named[0]! };
  if (!p.isOpenAi) return { tools, tool_choice: must };
  return { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: must, tools: named } } };
}

/** Settings for schemas. */
export interface ChatSchemas {
  readonly isOpenAi: boolean;
  readonly isStrict: boolean | undefined;
  readonly schemas?: SchemaHandling | undefined;
}

function toTool(
  { name, description, parametersJsonSchema }: FunctionDeclaration,
  { isOpenAi, isStrict, schemas }: ChatSchemas,
): OpenAI.Chat.ChatCompletionFunctionTool {
  const given = parametersJsonSchema ?? { type: 'object', properties: {} };
  const path = `tools.${name}.parameters`;
  const strict = isStrict ? strictly(given, path, schemas) : undefined;
  const parameters = strict ?? (isOpenAi ? checkSchema(given, path, schemas) : normalizeSchema(given));
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters,
      ...(strict && { strict: true }),
    },
  };
}
