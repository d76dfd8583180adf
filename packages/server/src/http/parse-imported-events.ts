import { createEvent, getFunctionCalls, getFunctionResponses, TholeError } from '@thole/core';
import {
  answerEventId,
  assertName,
  failInvalidJson,
  isPlainObject,
  isRuntimeMetadata,
  JsonCopier,
  requestKindOf,
} from '@thole/core/kit';
import type { Event, EventInit, JsonObject, Runtime, StateDelta } from '@thole/core';
import { z } from 'zod';
import type { HandlerContext } from '../handler-context.ts';
import { assertWritableState } from './assert-writable-state.ts';
import { contentSchema } from './content-schema.ts';
import { parse } from './parse.ts';
import { jsonObject, mapOf, untilFirstError } from './schemas.ts';
import { withoutNulls } from './without-nulls.ts';

const transcription = z.object({ text: z.string().optional(), finished: z.boolean().optional() }).optional();
const isSet = (value: unknown): boolean =>
  !(value === false || (typeof value === 'object' && Object.keys(value!).length === 0));
const ONLY_RUNTIME = 'must not be set: only the runtime sets it';

// The state delta of an imported event is kept. Its artifact delta is left out, because artifacts are not imported. Other
// actions control a run or grant permissions, so they are rejected.
const knownActions = z.object({
  stateDelta: jsonObject.optional(),
  artifactDelta: mapOf(z.number()).optional(),
});
const actions = z
  .preprocess((value, context) => {
    for (const [name, member] of isPlainObject(value) ? Object.entries(value) : []) {
      if (!Object.hasOwn(knownActions.shape, name) && isSet(member))
        context.addIssue({ code: 'custom', message: ONLY_RUNTIME, path: [name], input: value });
    }
    return value;
  }, knownActions)
  .transform(({ stateDelta = {} }) => ({ stateDelta: stateDelta as StateDelta }));

const eventSchema = z.object({
  id: z.string().optional(),
  invocationId: z.string().optional(),
  author: z.string(),
  timestamp: z.number().optional(),
  branch: z.string().optional(),
  content: contentSchema.optional(),
  actions: actions.optional(),
  partial: z.literal(false, 'must not be set: only complete events can be imported').optional(),
  longRunningToolIds: untilFirstError(z.array(z.string()).max(0, ONLY_RUNTIME)).optional(),
  turnComplete: z.boolean().optional(),
  finishReason: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  interrupted: z.boolean().optional(),
  usageMetadata: jsonObject.optional(),
  groundingMetadata: jsonObject.optional(),
  citationMetadata: jsonObject.optional(),
  inputTranscription: transcription,
  outputTranscription: transcription,
  modelVersion: z.string().optional(),
  customMetadata: jsonObject.transform(withoutRuntimeMetadata).optional(),
});

function withoutRuntimeMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !isRuntimeMetadata(name)));
}

/**
 * Returns the events of an exported session, ready to be stored. Throws `INVALID_INPUT` with the field for an invalid event and
 * for content that only a run may write: actions other than state, requests to users and their answers, long-running calls.
 * Throws `FORBIDDEN` for state in a scope that clients may not write. Artifact deltas and metadata of the runtime are left out.
 * Closing records are added at the end, so that clients cannot resume imported invocations.
 */
export function parseImportedEvents(
  values: readonly unknown[],
  context: Pick<HandlerContext, 'clientMayWrite' | 'runtime'>,
): Event[] {
  const events = values.map((each, i) => parseImportedEvent(each, `body.events.${i}`, context.runtime));
  const ids = new Set<string>();
  for (const [i, { id, actions }] of events.entries()) {
    if (ids.has(id)) throw new TholeError('INVALID_INPUT', `body.events.${i}.id must differ from earlier events.`);
    ids.add(id);
    assertWritableState(actions.stateDelta, context);
  }
  return [...events, ...closingRecords(events, context.runtime)];
}

/** Returns a final closing record for each invocation that a resumed run could continue. */
function closingRecords(events: readonly Event[], runtime: Runtime): Event[] {
  const answered = new Set(events.flatMap((event) => getFunctionResponses(event).map(({ id }) => id)));
  const withOpenCall = new Set<string>();
  const withRecord = new Set<string>();
  for (const event of events) {
    const { content, errorCode, invocationId } = event;
    if (getFunctionCalls(event).some(({ id }) => !answered.has(id))) withOpenCall.add(invocationId);
    if (errorCode !== undefined && content === undefined) withRecord.add(invocationId);
    else withRecord.delete(invocationId);
  }
  return [...new Set([...withOpenCall, ...withRecord])].map((invocationId) => {
    const errorMessage = 'The invocation was imported and cannot be resumed.';
    return createEvent({ author: 'system', invocationId, errorCode: 'RUN_SUPERSEDED', errorMessage }, runtime);
  });
}

function parseImportedEvent(value: unknown, path: string, runtime: Runtime): Event {
  const { partial: _, longRunningToolIds: __, ...init } = parse(eventSchema, withoutNulls(value), path);
  for (const name of ['id', 'invocationId', 'author'] as const) {
    if (init[name] !== undefined) assertName(`${path}.${name}`, init[name]);
  }
  // A store ignores a second event with the same id, so the real answer to an interrupt would be lost.
  if (init.id?.endsWith(answerEventId('')))
    throw new TholeError('INVALID_INPUT', `${path}.id must not end with "${answerEventId('')}".`);
  for (const [i, { functionCall, functionResponse }] of (init.content?.parts ?? []).entries()) {
    if ([functionCall, functionResponse].some((part) => part !== undefined && requestKindOf(part.name) !== undefined))
      throw new TholeError(
        'INVALID_INPUT',
        `${path}.content.parts.${i} must not be a request to a user or its answer.`,
      );
  }
  const event = createEvent(init as EventInit, runtime);
  return new JsonCopier(failInvalidJson).copy(event, path) as unknown as Event;
}
