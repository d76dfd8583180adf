import { isPlainObject } from '@thole/core/kit';
import { z } from 'zod';
import { notAnObject, untilFirstError } from '../http/schemas.ts';

/** The body of an AG-UI request (`RunAgentInput`). Missing lists are empty. */
export interface RunInput {
  threadId: string;
  runId: string;
  messages: readonly ClientMessage[];
  state?: unknown;
  tools: readonly ClientTool[];
  context: readonly { description: string; value: string }[];
  resume: readonly ResumeEntry[];
  forwardedProps?: unknown;
}

/** A message of the client. The server reads only the last message of the user, and results of the client's tools. */
export interface ClientMessage {
  readonly id?: unknown;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: unknown;
  readonly error?: unknown;
}

/** A tool that the client runs. */
export interface ClientTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters?: unknown;
}

/** The answer to an interrupt. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

const name = z.string().min(1);
const tool = z.looseObject({ name, description: z.string(), parameters: z.unknown().optional() });
const resumeEntry = z.looseObject({
  interruptId: name,
  status: z.enum(['resolved', 'cancelled']),
  payload: z.unknown().optional(),
});

/** Schema of the body of `/ag-ui/:app`. */
export const runInput: z.ZodType<RunInput> = z.object({
  threadId: name,
  runId: name,
  protocolVersion: z.unknown().optional(),
  parentRunId: z.unknown().optional(),
  messages: untilFirstError(z.array(z.looseObject({ role: z.string() }))),
  state: z.custom<unknown>((value) => value == null || isPlainObject(value), { error: notAnObject }).optional(),
  tools: listOf(tool),
  context: listOf(z.looseObject({ description: z.string(), value: z.string() })),
  resume: listOf(resumeEntry),
  forwardedProps: z.unknown().optional(),
}) as unknown as z.ZodType<RunInput>;

function listOf<T>(item: z.ZodType<T>): z.ZodType<T[]> {
  return untilFirstError(z.array(item))
    .nullish()
    .transform((list) => list ?? []) as unknown as z.ZodType<T[]>;
}
