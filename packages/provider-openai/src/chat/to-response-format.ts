import { TholeError } from '@thole/core';
import { normalizeSchema } from '@thole/core/kit';
import type { GenerateContentConfig } from '@thole/core';
import type OpenAI from 'openai';
import { answerHandling, checkSchema, toStrictSchema } from '../openai-schema.ts';
import { requireStrictSchema } from './require-strict-schema.ts';
import type { ChatSchemas } from './to-chat-tools.ts';

const PATH = 'responseJsonSchema';

/**
 * Returns the response format. It is strict if the schema fits strict mode and `isStrict` is not false. Throws
 * `SCHEMA_UNSUPPORTED` if `isStrict` is true and the schema does not fit.
 */
export function toResponseFormat(
  { responseJsonSchema, responseMimeType }: GenerateContentConfig,
  { isOpenAi, isStrict, schemas: given }: ChatSchemas,
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  if (!responseJsonSchema) return responseMimeType === 'application/json' ? { type: 'json_object' } : undefined;
  const schemas = answerHandling(responseJsonSchema, given);
  const required = isStrict ? requireStrictSchema(responseJsonSchema, PATH, schemas) : undefined;
  if (required) return toFormat(required, true);
  if (isStrict === undefined) {
    const strict = tryConvert(() => toStrictSchema(responseJsonSchema, PATH, schemas));
    if (strict && 'schema' in strict) return toFormat(strict.schema, true);
  }
  const schema = isOpenAi ? checkSchema(responseJsonSchema, PATH, schemas) : normalizeSchema(responseJsonSchema);
  return toFormat(schema, false);
}

function toFormat(
  schema: NonNullable<GenerateContentConfig['responseJsonSchema']>,
  strict: boolean,
): OpenAI.Chat.ChatCompletionCreateParams['response_format'] {
  return { type: 'json_schema', json_schema: { name: 'answer', schema, strict } };
}

/** Returns undefined for an unsupported schema: a schema that OpenAI rejects may be accepted by another server. */
function tryConvert<T>(convert: () => T): T | undefined {
  try {
    return convert();
  } catch (error) {
    if (TholeError.is(error, 'SCHEMA_UNSUPPORTED')) return undefined;
    throw error;
  }
}
