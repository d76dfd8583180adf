import { createEvent, TholeError } from '@thole/core';
import { assertName, failInvalidJson, isPlainObject, JsonCopier } from '@thole/core/kit';
import type { Event, EventInit, Runtime, StateDelta } from '@thole/core';
import { z } from 'zod';
import type { HandlerContext } from '../handler-context.ts';
import { assertClientState } from './client-state.ts';
import { contentSchema } from './content-schema.ts';
import { parse } from './parse.ts';
import { map } from './schemas.ts';
import { withoutNulls } from './without-nulls.ts';

const transcription = z.object({ text: z.string().optional(), finished: z.boolean().optional() }).optional();
const isSet = (value: unknown): boolean =>
  !(value === false || (typeof value === 'object' && Object.keys(value!).length === 0));
const RUNTIME = 'must not be set: it is for the runtime to say';

// What comes with an event is its state. What it says of artifacts is left out, for they do not come along; the rest tells a run what to
// do, or what was allowed.
const known = z.object({ stateDelta: map.optional(), artifactDelta: z.record(z.string(), z.number()).optional() });
const actions = z
  .preprocess((given, context) => {
    for (const [name, value] of isPlainObject(given) ? Object.entries(given) : []) {
      if (!Object.hasOwn(known.shape, name) && isSet(value))
        context.addIssue({ code: 'custom', message: RUNTIME, path: [name], input: given });
    }
    return given;
  }, known)
  .transform(({ stateDelta = {} }) => ({ stateDelta: stateDelta as StateDelta }));

const eventSchema = z.object({
  id: z.string().optional(),
  invocationId: z.string().optional(),
  author: z.string(),
  timestamp: z.number().optional(),
  branch: z.string().optional(),
  content: contentSchema.optional(),
  actions: actions.optional(),
  partial: z.literal(false, 'must not be set: what is stored is whole').optional(),
  longRunningToolIds: z.array(z.string()).max(0, RUNTIME).optional(),
  turnComplete: z.boolean().optional(),
  finishReason: z.string().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  interrupted: z.boolean().optional(),
  usageMetadata: map.optional(),
  groundingMetadata: map.optional(),
  citationMetadata: map.optional(),
  inputTranscription: transcription,
  outputTranscription: transcription,
  modelVersion: z.string().optional(),
  customMetadata: map.optional(),
});

/**
 * Events of a session that was elsewhere before, ready to be stored. `INVALID_INPUT` that names the field for what is no event, and for what
 * only a run may write: actions other than state, requests to people and their answers, calls that go on. What events say of artifacts is
 * left out. `FORBIDDEN` for state of a scope that clients may not write.
 */
export function importedEvents(
  given: readonly unknown[],
  house: Pick<HandlerContext, 'clientMayWrite' | 'runtime'>,
): Event[] {
  const events = given.map((each, i) => importedEvent(each, `body.events.${i}`, house.runtime));
  const ids = new Set<string>();
  for (const [
    i,
    {
      id,
      actions: { stateDelta },
    },
  ] of events.entries()) {
    if (ids.has(id)) throw new TholeError('INVALID_INPUT', `body.events.${i}.id must not be that of an earlier event.`);
    ids.add(id);
    assertClientState(stateDelta, house);
  }
  return events;
}

function importedEvent(given: unknown, where: string, runtime: Runtime): Event {
  const { partial: _, longRunningToolIds: __, ...whole } = parse(eventSchema, withoutNulls(given), where);
  for (const name of ['id', 'invocationId', 'author'] as const) {
    if (whole[name] !== undefined) assertName(`${where}.${name}`, whole[name]);
  }
  for (const [i, { functionCall, functionResponse }] of (whole.content?.parts ?? []).entries()) {
    if (
      (functionCall ?? functionResponse)?.name.startsWith('adk_request_') ||
      functionResponse?.name.startsWith('adk_request_')
    )
      throw new TholeError('INVALID_INPUT', `${where}.content.parts.${i} must not ask people or answer for them.`);
  }
  const event = createEvent(whole as EventInit, runtime);
  return new JsonCopier(failInvalidJson).copy(event, where) as unknown as Event;
}
