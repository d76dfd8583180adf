import { TholeError } from '@thole/core';
import { completeSchemaRoot, normalizeSchema } from '@thole/core/kit';
import type { FunctionDeclaration, GenerateContentConfig } from '@thole/core';
import type OpenAI from 'openai';
import { checkSchema } from '../openai-schema.ts';
import type { SchemaHandling } from '../openai-schema.ts';
import { requireStrictSchema } from './require-strict-schema.ts';

type Tools = Pick<OpenAI.Chat.ChatCompletionCreateParams, 'tools' | 'tool_choice'>;

/**
 * Returns the functions, and the choice which of them may or must be called. If only some are allowed, OpenAI receives
 * their names in the choice; other servers receive only the allowed functions. Throws `INVALID_INPUT` for a tool that the
 * provider would run itself, because this API has no such tools.
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
  const isLimited = mode !== 'NONE' && allowed.length > 0;
  const offered = isLimited && !p.isOpenAi ? declarations.filter(({ name }) => allowed.includes(name)) : declarations;
  if (offered.length === 0) return {};
  const tools = offered.map((declaration) => toTool(declaration, p));
  const choiceMode = mode === 'ANY' ? 'required' : 'auto';
  if (!isLimited) return { tools, ...(mode !== 'AUTO' && { tool_choice: mode === 'NONE' ? 'none' : choiceMode }) };
  const allowedTools = allowed.map((name) => ({ type: 'function' as const, function: { name } }));
  if (allowedTools.length === 1 && mode === 'ANY') return { tools, tool_choice: allowedTools[0]! };
  if (!p.isOpenAi) return { tools, tool_choice: choiceMode };
  return { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: choiceMode, tools: allowedTools } } };
}

/** Rules for the conversion of schemas. */
export interface ChatSchemas {
  readonly isOpenAi: boolean;
  readonly isStrict: boolean | undefined;
  readonly schemas?: SchemaHandling | undefined;
}

function toTool(
  { name, description, parametersJsonSchema }: FunctionDeclaration,
  { isOpenAi, isStrict, schemas }: ChatSchemas,
): OpenAI.Chat.ChatCompletionFunctionTool {
  const schema = parametersJsonSchema ?? {};
  const path = `tools.${name}.parameters`;
  const strict = isStrict ? requireStrictSchema(schema, path, schemas) : undefined;
  const parameters =
    strict ?? (isOpenAi ? checkSchema(schema, path, schemas) : completeSchemaRoot(normalizeSchema(schema)));
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
