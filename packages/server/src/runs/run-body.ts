import { isPlainObject } from '@thole/core/kit';
import type { Content, JsonObject, StateDelta } from '@thole/core';
import { z } from 'zod';
import { map } from '../http/schemas.ts';
import { ref } from '../openapi/schema.ts';

/** What `/run` and `/run_sse` take. */
export interface RunBody {
  /** May be absent where one app is served. */
  appName?: string | undefined;
  userId: string;
  sessionId: string;
  /** Its parts are checked by the runner. Absent to resume `invocationId`. */
  newMessage?: Content | null | undefined;
  /** Whether parts of answers come as they are made. */
  streaming?: boolean | null | undefined;
  stateDelta?: StateDelta | null | undefined;
  /** The run to resume. ADK's clients send it with an answer to a long-running call too, whose id tells which one is meant. */
  invocationId?: string | null | undefined;
  functionCallEventId?: string | null | undefined;
  customMetadata?: JsonObject | null | undefined;
}

const name = z.string().min(1);

export const runBody: z.ZodType<RunBody> = z
  .object({
    appName: name.optional(),
    userId: name,
    sessionId: name,
    newMessage: z.custom<Content>(isPlainObject, 'must be an object').meta(ref('Content')).nullish(),
    streaming: z.boolean().nullish(),
    stateDelta: map.nullish(),
    invocationId: z.string().nullish(),
    functionCallEventId: z.string().nullish(),
    customMetadata: map.nullish(),
  })
  .refine((body) => body.newMessage != null || body.invocationId != null, {
    path: ['newMessage'],
    message: 'must be an object, unless invocationId names a run to resume',
  });
