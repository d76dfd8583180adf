import { isPlainObject } from '@thole/core/kit';
import type { Content, JsonObject, StateDelta } from '@thole/core';
import { z } from 'zod';
import { jsonObject, notAnObject } from '../http/schemas.ts';
import { withoutNulls } from '../http/without-nulls.ts';
import { ref } from '../openapi/schema.ts';

/** The body of `/run` and `/run_sse`. */
export interface RunBody {
  /** Required if several apps are served. */
  appName?: string | null | undefined;
  userId: string;
  sessionId: string;
  /** Required, unless an invocation is resumed or regenerated. Members that are null are left out. The runner validates its parts. */
  newMessage?: Content | null | undefined;
  /** True to stream partial events. */
  streaming?: boolean | null | undefined;
  stateDelta?: StateDelta | null | undefined;
  /** The invocation to resume, or that of the answers in `newMessage`. */
  invocationId?: string | null | undefined;
  /** The invocation to remove, with everything after it. Its message, or `newMessage`, is answered again. */
  regenerateInvocationId?: string | null | undefined;
  functionCallEventId?: string | null | undefined;
  customMetadata?: JsonObject | null | undefined;
}

const name = z.string().min(1);

/** Schema of the body of `/run` and `/run_sse`. */
export const runBody: z.ZodType<RunBody> = z
  .object({
    appName: name.nullish(),
    userId: name,
    sessionId: name,
    newMessage: z
      .preprocess(withoutNulls, z.custom<Content>(isPlainObject, { error: notAnObject }))
      .meta(ref('Content'))
      .nullish(),
    streaming: z.boolean().nullish(),
    stateDelta: jsonObject.nullish(),
    invocationId: z.string().nullish(),
    regenerateInvocationId: name.nullish(),
    functionCallEventId: z.string().nullish(),
    customMetadata: jsonObject.nullish(),
  })
  .refine((body) => (body.newMessage ?? body.invocationId ?? body.regenerateInvocationId) != null, {
    path: ['newMessage'],
    message: 'must be an object, unless invocationId names an invocation to resume',
  })
  .refine((body) => body.invocationId == null || body.regenerateInvocationId == null, {
    path: ['regenerateInvocationId'],
    message: 'must not be set together with invocationId',
  });
