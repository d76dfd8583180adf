import { getFunctionCalls } from '@thole/core';
import type { Content, Event, FunctionCall, FunctionResponse, Part } from '@thole/core';
import { callKey } from '../history/call-key.ts';
import { isPlain, Shape, shapeOf } from '../history/event-shape.ts';
import type { ContentsRequest } from './contents-request.ts';
import { freezeContent, userContent } from './freeze-content.ts';
import { retoldContent } from './retell-others.ts';

/** Contents, and the keys of the calls in them. */
export interface Rendered {
  readonly contents: Content[];
  readonly calls: Set<string>;
}

/**
 * Adds the contents of the regular events from this index on: messages of the user and the agent, events of other agents,
 * and the agent's calls that are directly followed by all their answers. The result equals that of `renderEvents`, and stays
 * valid unless one of the calls is answered again. Returns the index of the first event that is not regular.
 */
export function renderRegular(
  events: readonly Event[],
  from: number,
  viewer: Pick<ContentsRequest, 'agentName' | 'waiting'>,
  out: Rendered,
): number {
  let i = from;
  while (i < events.length) {
    const next = renderNext(events, i, viewer, out);
    if (next === i) break;
    i = next;
  }
  return i;
}

/** Adds the regular event at this index. Returns the next index, or the same one if the event is not regular. */
function renderNext(
  events: readonly Event[],
  index: number,
  viewer: Pick<ContentsRequest, 'agentName' | 'waiting'>,
  out: Rendered,
): number {
  const { agentName, waiting } = viewer;
  const event = events[index]!;
  const shape = shapeOf(event);
  if (shape & (Shape.mixed | Shape.transcript)) return index;
  if (!isSeenAsOwn(event, agentName)) {
    out.contents.push(retoldContent(event));
    if (shape & Shape.calls) addCalls(getFunctionCalls(event), out);
    return index + 1;
  }
  if (isPlain(shape)) {
    out.contents.push(freezeContent(event, event.content!.parts!, agentName));
    return index + 1;
  }
  // The answer of a call that waits for a person changes later.
  if (waiting && getFunctionCalls(event).some(({ id }) => id !== undefined && waiting.has(id))) return index;
  return isOnlyCalls(shape) && event.author === agentName ? renderAnswered(events, index, agentName, out) : index;
}

/** True if the agent sees the event unchanged: it is the agent's or the user's. */
const isSeenAsOwn = ({ author }: Event, agentName: string): boolean => author === 'user' || author === agentName;
const isOnlyCalls = (shape: number): boolean => (shape & ~(Shape.visible | Shape.other)) === Shape.calls;
const isOnlyAnswers = (shape: number): boolean => (shape & ~Shape.visible) === Shape.answers;

/**
 * Adds the event with calls and one content with all their answers. Returns the next index, or that of the event if
 * an answer is missing.
 */
function renderAnswered(events: readonly Event[], index: number, agentName: string, out: Rendered): number {
  const event = events[index]!;
  const calls = getFunctionCalls(event);
  const answers: (Part | undefined)[] = calls.map(() => undefined);
  let next = index + 1;
  for (let missing = calls.length; missing > 0; next++) {
    const answering = events[next];
    if (!answering || !isSeenAsOwn(answering, agentName) || !isOnlyAnswers(shapeOf(answering))) return index;
    const parts = answering.content!.parts!;
    for (let i = 0; i < parts.length; i++) {
      const place = placeOf(parts[i]!.functionResponse!, calls, answers);
      if (place < 0) return index;
      answers[place] = parts[i]!;
      missing -= 1;
    }
  }
  next = takeLaterAnswers(events, next, { agentName, calls, answers });
  out.contents.push(freezeContent(event, event.content!.parts!, agentName), userContent(answers as Part[]));
  addCalls(calls, out);
  return next;
}

/** Replaces answers by later answers that follow directly, for example after a confirmation. Returns the next index. */
function takeLaterAnswers(
  events: readonly Event[],
  from: number,
  { agentName, calls, answers }: { agentName: string; calls: readonly FunctionCall[]; answers: (Part | undefined)[] },
): number {
  for (let i = from; ; i++) {
    const event = events[i];
    if (!event || !isSeenAsOwn(event, agentName) || !isOnlyAnswers(shapeOf(event))) return i;
    const places = event.content!.parts!.map(({ functionResponse }) => {
      const key = callKey(functionResponse!);
      return calls.findLastIndex((call) => callKey(call) === key);
    });
    if (places.includes(-1)) return i;
    for (const [part, place] of places.entries()) answers[place] = event.content!.parts![part];
  }
}

function addCalls(calls: readonly FunctionCall[], out: Rendered): void {
  for (let i = 0; i < calls.length; i++) out.calls.add(callKey(calls[i]!));
}

/** Returns the index of the first call without an answer to which this answer belongs; -1 if there is none. */
function placeOf(answer: FunctionResponse, calls: readonly FunctionCall[], answers: readonly unknown[]): number {
  const key = callKey(answer);
  for (let i = 0; i < calls.length; i++) if (answers[i] === undefined && callKey(calls[i]!) === key) return i;
  return -1;
}
