import { TholeError } from '@thole/core';
import { normalizeSchema } from '@thole/core/kit';
import type { GenerateContentConfig } from '@thole/core';
import type OpenAI from 'openai';
import { checkSchema, strictSchema } from '../openai-schema.ts';
import { strictly } from './strictly.ts';
import type { ChatSchemas } from './to-chat-tools.ts';

const PATH = 'responseJsonSchema';

/**
 * Returns the response format: strict if the schema fits strict mode or must (`isStrict`; throws
 * `SCHEMA_UNSUPPORTED` if it does not fit).
 */
export function toResponseFormat(
  { responseJsonSchema, responseMimeType }: GenerateContentConfig,
  { isOpenAi, isStrict, schemas }: ChatSchemas,
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  if (!responseJsonSchema) return responseMimeType === 'application/json' ? { type: 'json_object' } : undefined;
  const required = isStrict ? strictly(responseJsonSchema, PATH, schemas) : undefined;
  if (required) return format(required, true);
  if (isStrict === undefined) {
    const strict = attempt(() => strictSchema(responseJsonSchema, PATH, schemas));
    if (strict && 'schema' in strict) return format(strict.schema, true);
  }
  const given = isOpenAi ? checkSchema(responseJsonSchema, PATH, schemas) : normalizeSchema(responseJsonSchema);
  return format(given, false);
}

function format(
  schema: NonNullable<GenerateContentConfig['responseJsonSchema']>,
  strict: boolean,
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict } };
}

/** A schema that OpenAI rejects in both modes may be accepted by another server. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (TholeError.is(error, 'SCHEMA_UNSUPPORTED')) return undefined;
    throw error;
  }
}
