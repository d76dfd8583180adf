import { checkCount, getFunctionCalls, getFunctionResponses, refuseUnknown } from '@thole/core';
import type { Event, EventLog, InvocationContext, Plugin } from '@thole/core';

/** How much of a session its prompts are made of. */
export interface SessionWindowPluginOptions {
  /** How many of the user's messages, each with what followed it (30). */
  turns?: number | undefined;
  name?: string | undefined;
}

/**
 * Lets the model see the last turns that the user truly spoke; answers to calls are no turns of their own. A call is shown with
 * its answers or not at all, the running invocation whole. What is stored stays as it is, and summaries of older events stay in the prompt.
 */
export class SessionWindowPlugin implements Plugin {
  readonly name: string;
  readonly #turns: number;

  constructor(options: SessionWindowPluginOptions = {}) {
    refuseUnknown(options, ['turns', 'name'], 'SessionWindowPlugin');
    const { turns = 30, name = 'session_window' } = options;
    checkCount('turns', turns, 1);
    this.name = name;
    this.#turns = turns;
  }

  /** The events that the prompt is made of; part of being a plugin. */
  selectHistoryCallback(p: {
    invocationContext: InvocationContext;
    events: EventLog;
  }): readonly Event[] | { fromSeq: number } | undefined {
    const { events, invocationContext } = p;
    const start = beginOf(events, this.#turns, invocationContext.invocationId);
    if (start === 0) return undefined;
    const older = callsAnsweredFrom(events, start);
    const fromSeq = events.at(start)?.seq;
    if (older.length === 0 && fromSeq !== undefined) return { fromSeq };
    return [...older, ...eventsFrom(events, start)];
  }
}

/** Where the window begins: at the message that begins its first turn, and not after the running invocation does. */
function beginOf(events: EventLog, turns: number, invocationId: string): number {
  let left = turns;
  let start = events.length;
  while (start > 0 && left > 0) if (isSpoken(events.at(--start)!)) left--;
  if (left > 0) return 0;
  const isOfRun = (i: number): boolean => events.at(i)!.invocationId === invocationId;
  while (start > 0 && isOfRun(start) && isOfRun(start - 1)) start--;
  return start;
}

function isSpoken({ author, content, partial }: Event): boolean {
  if (author !== 'user' || partial) return false;
  return (content?.parts ?? []).some((part) => !part.functionResponse && !part.thought && part.text?.trim() !== '');
}

/** Events before the window with calls that are answered in it, and those with the other answers to these calls. */
function callsAnsweredFrom(events: EventLog, start: number): Event[] {
  const missing = new Set<string | undefined>();
  for (const event of eventsFrom(events, start)) {
    for (const { id } of getFunctionResponses(event)) missing.add(id);
    for (const { id } of getFunctionCalls(event)) missing.delete(id);
  }
  missing.delete(undefined);
  const found: Event[] = [];
  const wanted = new Set(missing);
  for (let i = start - 1; i >= 0 && missing.size > 0; i--) {
    const event = events.at(i)!;
    const ids = getFunctionCalls(event).map(({ id }) => id);
    if (!ids.some((id) => missing.has(id))) continue;
    found.unshift(event);
    for (const id of ids) {
      missing.delete(id);
      wanted.add(id);
    }
  }
  if (found.length === 0) return [];
  const from = found[0]!.id;
  const all: Event[] = [];
  let isOn = false;
  for (let i = 0; i < start; i++) {
    const event = events.at(i)!;
    isOn ||= event.id === from;
    if (isOn && (found.includes(event) || getFunctionResponses(event).some(({ id }) => wanted.has(id))))
      all.push(event);
  }
  return all;
}

function* eventsFrom(events: EventLog, start: number): Generator<Event> {
  for (let i = start; i < events.length; i++) yield events.at(i)!;
}
