import { getFunctionCalls, getFunctionResponses, pendingInterrupts } from '@thole/core';
import type { Event, Json, JsonObject, Part, Session } from '@thole/core';
import { idempotentCalls, stateKeysOf } from './trip-app.ts';
import type { SimulatedWorld } from './simulated-world.ts';

/** The comparable result of a trip: events by path, without ids, times, attempts and calls in doubt. */
export interface TripOutcome {
  readonly paths: { readonly [path: string]: Json[] };
  readonly state: JsonObject;
}

/** Returns the ids of the calls whose outcome was unknown: the model received the error `outcome unknown`. */
export function callsInDoubt(events: readonly Event[]): string[] {
  const found: string[] = [];
  for (const event of events)
    for (const { id, response } of getFunctionResponses(event))
      if (typeof response['error'] === 'string' && response['error'].startsWith('outcome unknown')) found.push(id!);
  return found;
}

/** Returns the outcome of a session, without the answers and the state of the calls in `without`. */
function outcomeOfTrip(session: Session, without: readonly string[]): TripOutcome {
  const { events, userId } = session;
  const dropped = new Set(without.flatMap((callId) => stateKeysOf(callId.slice(2), userId)));
  const comparableState = (state: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(state)
        .filter(([key]) => !dropped.has(key) && (!/^(app|user):/.test(key) || key.includes(`:${userId} `)))
        .map(([key, value]): [string, Json] => [key.replace(`:${userId} `, ':'), value])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const paths: { [path: string]: Json[] } = {};
  for (const event of events) {
    const compared = comparableEvent(event, comparableState, without);
    if (compared === undefined) continue;
    (paths[`${event.author} ${event.nodeInfo?.path ?? ''}`] ??= []).push(compared);
  }
  // The answers to the calls of one turn may be in any order.
  for (const compared of Object.values(paths)) sortAnswers(compared);
  return {
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    state: comparableState(session.state),
  };
}

function comparableEvent(
  event: Event,
  comparableState: (state: JsonObject) => JsonObject,
  without: readonly string[],
): Json | undefined {
  // Recovery gave up after several crashes, and the trip was resumed by hand.
  if (event.errorCode === 'RESUME_FAILED') return undefined;
  const parts = (event.content?.parts ?? []).map(withoutRequestIds);
  const answered = getFunctionResponses(event);
  const { stateDelta, transferToAgent, escalate, requestedToolConfirmations, skipSummarization } = event.actions;
  const state = comparableState(stateDelta as JsonObject);
  if (answered.some(({ id }) => without.includes(id!) && !isProvisional(event, id!))) return undefined;
  const actions = {
    ...(Object.keys(state).length > 0 && { state }),
    ...(transferToAgent !== undefined && { transferToAgent }),
    ...(escalate !== undefined && { escalate }),
    ...(skipSummarization !== undefined && { skipSummarization }),
    ...(Object.keys(requestedToolConfirmations).length > 0 && { requestedToolConfirmations }),
  };
  if (parts.length === 0 && Object.keys(actions).length === 0 && event.errorCode === undefined) return undefined;
  const compared = { parts, actions, ...(event.errorCode !== undefined && { errorCode: event.errorCode }) };
  return JSON.parse(JSON.stringify(compared)) as Json;
}

function withoutRequestIds(part: Part): Part {
  const { functionCall, functionResponse } = part;
  if (functionCall?.name.startsWith('adk_')) return { functionCall: { ...functionCall, id: 'request' } };
  if (functionResponse?.name.startsWith('adk_')) return { functionResponse: { ...functionResponse, id: 'request' } };
  return part;
}

function sortAnswers(compared: Json[]): void {
  let begin = 0;
  for (let i = 0; i <= compared.length; i++) {
    if (i < compared.length && isAnswer(compared[i]!)) continue;
    const sorted = compared.slice(begin, i).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    compared.splice(begin, sorted.length, ...sorted);
    begin = i + 1;
  }
}

function isAnswer(compared: Json): boolean {
  return (compared as unknown as { parts: Part[] }).parts.some(
    ({ functionResponse }) => functionResponse !== undefined,
  );
}

/** Returns the broken promises of a finished trip, as sentences. `expected` is the session of a trip without a crash. */
export function violationsOf(session: Session, expected: Session, world: SimulatedWorld): string[] {
  const { events, userId } = session;
  const inDoubt = callsInDoubt(events);
  const found = [...world.violations];
  for (const [call, count] of world.effects) {
    const callId = call.slice(call.lastIndexOf(' ') + 1);
    const mayRepeat = idempotentCalls.includes(callId) || (world.hasStalled && callId === 'c-reserve');
    if (call === `${userId} ${callId}` && count > 1 && !mayRepeat) found.push(`${callId} took effect ${count} times.`);
  }
  for (const { id } of events.flatMap(getFunctionCalls)) {
    const answers = events.filter(
      (event) => getFunctionResponses(event).some((response) => response.id === id) && !isProvisional(event, id!),
    );
    if (answers.length !== 1) found.push(`${id} has ${answers.length} answers.`);
  }
  found.push(...lossesOf(session, world));
  const [actual, wanted] = [session, expected].map((each) => outcomeOfTrip(each, inDoubt));
  if (JSON.stringify(actual) !== JSON.stringify(wanted))
    found.push(`The outcome differs: ${JSON.stringify(actual, null, 1)} instead of ${JSON.stringify(wanted, null, 1)}`);
  return found;
}

/** Returns acknowledged events that are lost, gaps in `seq`, and wrong marks, as sentences. */
export function lossesOf({ events, marks, userId }: Session, world: SimulatedWorld): string[] {
  const found: string[] = [];
  const open = pendingInterrupts(events).length;
  if (marks && (marks.openInterrupts !== open || marks.unfinished !== null))
    found.push(`The session has the marks ${JSON.stringify(marks)}, but ${open} open interrupts.`);
  const stored = new Map(events.map((event) => [event.id, JSON.stringify(event)]));
  for (const event of world.acknowledged.get(userId) ?? [])
    if (stored.get(event.id) !== JSON.stringify(event)) found.push(`Event ${event.id} was acknowledged and is lost.`);
  for (const [i, event] of events.entries()) if (event.seq !== i + 1) found.push(`Event ${i} has seq ${event.seq}.`);
  return found;
}

function isProvisional({ actions }: Event, callId: string): boolean {
  return Object.hasOwn(actions.requestedToolConfirmations, callId);
}
