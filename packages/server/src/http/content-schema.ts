import { assertContent } from '@thole/core/kit';
import type { Content, Part } from '@thole/core';
import { z } from 'zod';
import type { ZodType } from 'zod';
import { ref } from '../openapi/schema.ts';
import type { SchemaName } from '../openapi/schema.ts';
import { map } from './schemas.ts';

const id = z.string().optional();

/** A part, each member that is known of its type. Members that are not known stay. */
const known = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.looseObject({ id, name: z.string(), args: map.optional() }).optional(),
  functionResponse: z.looseObject({ id, name: z.string(), response: map }).optional(),
  inlineData: z.looseObject({ mimeType: z.string(), data: z.string(), displayName: z.string().optional() }).optional(),
  fileData: z
    .looseObject({ fileUri: z.string(), mimeType: z.string().optional(), displayName: z.string().optional() })
    .optional(),
  executableCode: z.looseObject({ code: z.string(), language: z.string().optional() }).optional(),
  codeExecutionResult: z.looseObject({ outcome: z.string().optional(), output: z.string().optional() }).optional(),
  partMetadata: z.looseObject({ provider: z.string() }).optional(),
});

/** A part of a message, such as a file. */
export const partSchema: ZodType<Part> = asItCame<Part>(known, 'Part').refine(
  hasOneKind,
  'must have one of text, inlineData, functionCall …',
);

/** A message. */
export const contentSchema: ZodType<Content> = asItCame<Content>(
  z.looseObject({ role: z.enum(['user', 'model']).optional(), parts: z.array(partSchema).optional() }),
  'Content',
);

/** Checked by the schema, and handed on as it came: what a schema gives is a copy in which names like `__proto__` are lost. */
function asItCame<T>(schema: ZodType, name: SchemaName): ZodType<T> {
  return z
    .unknown()
    .superRefine((value, context) => {
      const result = schema.safeParse(value);
      for (const { message, path } of result.error?.issues ?? []) context.addIssue({ code: 'custom', message, path });
    })
    .meta(ref(name)) as unknown as ZodType<T>;
}

function hasOneKind(part: Part): boolean {
  try {
    assertContent({ parts: [part] }, 'part');
    return true;
  } catch {
    return false;
  }
}
