import { getFunctionResponses } from '@thole/core';
import { deepFreeze } from '@thole/core/kit';
import type { Content, Event, FunctionCall, Part } from '@thole/core';
import { hasCallsOrAnswers } from '../history/event-kinds.ts';
import { callKey, isLongRunningCall } from '../history/call-key.ts';
import type { ContentsRequest } from './contents-request.ts';
import { freezeContent, textPart, userContent } from './freeze-content.ts';
import { arrivedNote, outcomeUnknown, stillPending, waitingFor } from './made-up-answers.ts';

/** A call of the agent and its last answer. */
interface Slot {
  readonly turn: Turn;
  readonly call: FunctionCall;
  readonly isLongRunning: boolean;
  answer: Part | undefined;
}

/** A content and the answers to its calls. */
interface Turn {
  readonly content: Content;
  readonly slots: Slot[];
  readonly index: number;
  /** Set for a content that only contains notes about late answers. */
  readonly note?: Part[];
}

/**
 * Returns the contents of events that contain only the agent's own calls. Each content with calls is followed by one content
 * that answers every call in call order, no matter where the answers are stored. The last answer of a call is used. A call
 * without an answer gets a generated one: pending, or outcome unknown if a later invocation has begun and the call is not
 * long-running. An answer that came after other contents is replaced there by a note, so that the model sees that it is new.
 * Answers without a call are removed.
 */
export function pairAnswers(events: readonly Event[], request: ContentsRequest): Content[] {
  const turns: Turn[] = [];
  const slots = new Map<string, Slot[]>();
  events.forEach((event, index) => {
    const parts = event.content?.parts ?? [];
    if (!hasCallsOrAnswers(event))
      return void turns.push({ content: freezeContent(event, parts, request.agentName), slots: noSlots, index });
    const rest =
      getFunctionResponses(event).length > 0 ? placeAnswers(event, parts, { turns, slots, index, request }) : parts;
    // The text after an answer that ended the turn repeats the answer.
    if (rest.length === 0 || (rest !== parts && event.actions.skipSummarization)) return;
    const turn: Turn = { content: freezeContent(event, rest, request.agentName), slots: [], index };
    for (const { functionCall: call } of rest)
      if (call) addSlot(slots, { turn, call, isLongRunning: isLongRunningCall(event, call), answer: undefined });
    turns.push(turn);
  });
  const isClosed = closedTurns(events, request.invocationId);
  const contents: Content[] = [];
  for (const turn of turns) {
    contents.push(turn.content);
    if (turn.slots.length > 0) contents.push(answersOf(turn, isClosed(turn.index), request.waiting));
  }
  return contents;
}

const noSlots: Slot[] = [];

function addSlot(slots: Map<string, Slot[]>, slot: Slot): void {
  slot.turn.slots.push(slot);
  const key = callKey(slot.call);
  const same = slots.get(key);
  if (same && same[0]!.turn === slot.turn) same.push(slot);
  else slots.set(key, [slot]);
}

/** Assigns the answers among these parts to their calls. Returns the remaining parts. */
function placeAnswers(
  event: Event,
  parts: readonly Part[],
  p: { turns: Turn[]; slots: ReadonlyMap<string, Slot[]>; index: number; request: ContentsRequest },
): Part[] {
  const rest: Part[] = [];
  const late: string[] = [];
  for (const part of parts) {
    const answer = part.functionResponse;
    const same = answer && p.slots.get(callKey(answer));
    const slot = same?.find((candidate) => !candidate.answer) ?? same?.at(-1);
    if (!answer) rest.push(part);
    else if (!slot)
      p.request.log?.('An answer without a call was left out of the prompt.', {
        eventId: event.id,
        callId: answer.id,
        tool: answer.name,
      });
    else {
      slot.answer = part;
      if (p.turns.at(-1) !== slot.turn) late.push(answer.name);
    }
  }
  if (rest.length === 0 && late.length > 0) addNotes(p.turns, late, p.index);
  return rest;
}

function addNotes(turns: Turn[], names: readonly string[], index: number): void {
  const notes = names.map((name) => textPart(arrivedNote(name)));
  const last = turns.at(-1)!.note ? turns.pop()! : undefined;
  const note = [...(last?.note ?? []), ...notes];
  turns.push({ content: userContent(note), slots: [], index, note });
}

/** Returns a predicate: true for the index of an event if a later invocation has begun since. */
function closedTurns(events: readonly Event[], current: string): (index: number) => boolean {
  const newest = events.at(-1)?.invocationId;
  const lastOther = events.findLastIndex((event) => event.invocationId !== newest);
  return (index) => index <= lastOther || newest !== current;
}

function answersOf(turn: Turn, isClosed: boolean, waiting: ContentsRequest['waiting']): Content {
  const parts = turn.slots.map(({ call, isLongRunning, answer }): Part => {
    // The stored answer of a waiting call is provisional.
    const kind = call.id === undefined ? undefined : waiting?.get(call.id);
    if (kind) return deepFreeze({ functionResponse: waitingFor(call, kind) });
    if (answer) return answer;
    return deepFreeze({ functionResponse: isClosed && !isLongRunning ? outcomeUnknown(call) : stillPending(call) });
  });
  return userContent(parts);
}
