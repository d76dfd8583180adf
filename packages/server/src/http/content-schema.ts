import { isBase64, partKinds } from '@thole/core/kit';
import type { Content, Part } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { ref } from '../openapi/schema.ts';
import type { SchemaName } from '../openapi/schema.ts';
import { describeIssue } from './describe-issue.ts';
import { jsonObject, untilFirstError } from './schemas.ts';
import { withoutNulls } from './without-nulls.ts';

const id = z.string().optional();
/** Base64 or base64url. A model rejects other text with each later message of the session, too. */
const base64 = z.string().refine(isBase64, 'must be base64');

/** The known members of a part. Unknown members are allowed. */
const partMembers = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.looseObject({ id, name: z.string(), args: jsonObject.optional() }).optional(),
  functionResponse: z.looseObject({ id, name: z.string(), response: jsonObject }).optional(),
  inlineData: z.looseObject({ mimeType: z.string(), data: base64, displayName: z.string().optional() }).optional(),
  fileData: z
    .looseObject({ fileUri: z.string(), mimeType: z.string().optional(), displayName: z.string().optional() })
    .optional(),
  executableCode: z.looseObject({ code: z.string(), language: z.string().optional() }).optional(),
  codeExecutionResult: z.looseObject({ outcome: z.string().optional(), output: z.string().optional() }).optional(),
  partMetadata: z.looseObject({ provider: z.string() }).optional(),
});

/** Schema of a part of a message, such as a text or a file. */
export const partSchema: ZodType<Part> = validateOnly<Part>(partMembers, 'Part').refine(
  hasOneKind,
  'must have one of text, inlineData, functionCall …',
);

/** Schema of a message. */
export const contentSchema: ZodType<Content> = validateOnly<Content>(
  z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: untilFirstError(z.array(partSchema)).optional() }),
  'Content',
);

/** Schema of a part in a request. Python clients send null for each member that is not set. */
export const partInput: ZodType<Part> = z.preprocess(withoutNulls, partSchema).meta(ref('Part'));

/** Schema of a message in a request. Python clients send null for each member that is not set. */
export const contentInput: ZodType<Content> = z.preprocess(withoutNulls, contentSchema).meta(ref('Content'));

/**
 * Returns a schema that validates a value and returns the same object. Zod itself returns a copy in which members such
 * as `__proto__` are missing.
 */
function validateOnly<T>(schema: ZodType, name: SchemaName): ZodType<T> {
  return z
    .unknown()
    .superRefine((value, context) => {
      const result = schema.safeParse(value, { error: describeIssue });
      for (const { message, path } of result.error?.issues ?? []) context.addIssue({ code: 'custom', message, path });
    })
    .meta(ref(name)) as unknown as ZodType<T>;
}

function hasOneKind(part: Part | null | undefined): boolean {
  return partKinds.some((kind) => part?.[kind] !== undefined);
}
