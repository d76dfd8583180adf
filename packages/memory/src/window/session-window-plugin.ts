import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { assertCount, rejectUnknownOptions } from '@thole/core/kit';
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
    rejectUnknownOptions(options, ['turns', 'name'], 'SessionWindowPlugin');
    const { turns = 30, name = 'session_window' } = options;
    assertCount('turns', turns, 1);
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
  // Somebody else may have written into the session while it runs.
  for (let i = 0; i < start; i++) if (events.at(i)!.invocationId === invocationId) return i;
  return start;
}

function isSpoken({ author, content, partial }: Event): boolean {
  if (author !== 'user' || partial) return false;
  return (content?.parts ?? []).some((part) => !part.functionResponse && !part.thought && part.text?.trim() !== '');
}

/**
 * Events before the window with calls that are answered in it, with the other answers to their calls, and so on: whatever is
 * shown of a call and its answers, all of it is. The message that led to a call stands before it, as models want it to.
 */
function callsAnsweredFrom(events: EventLog, start: number): Event[] {
  const chosen = new Set<number>();
  function chooseCall(id: string | undefined, before: number): void {
    for (let i = before - 1; i >= 0; i--) if (hasCall(events.at(i)!, id)) return choose(i);
  }
  function chooseMessage(before: number): void {
    for (let i = before - 1; i >= 0; i--) if (isSpoken(events.at(i)!)) return void chosen.add(i);
  }
  function choose(index: number): void {
    if (chosen.has(index)) return;
    chosen.add(index);
    const event = events.at(index)!;
    for (const { id } of getFunctionResponses(event)) chooseCall(id, index);
    const calls = getFunctionCalls(event);
    if (calls.length > 0) chooseMessage(index);
    for (const { id } of calls) {
      // Up to where another call begins under the same id.
      for (let i = index + 1; i < start && !hasCall(events.at(i)!, id); i++)
        if (hasAnswer(events.at(i)!, id)) choose(i);
    }
  }
  const called = new Set<string | undefined>([undefined]);
  for (let i = start; i < events.length; i++) {
    const event = events.at(i)!;
    for (const { id } of getFunctionResponses(event)) if (!called.has(id)) chooseCall(id, start);
    for (const { id } of getFunctionCalls(event)) called.add(id);
  }
  return [...chosen].toSorted((a, b) => a - b).map((i) => events.at(i)!);
}

const hasCall = (event: Event, id: string | undefined): boolean =>
  getFunctionCalls(event).some((call) => call.id === id);
const hasAnswer = (event: Event, id: string | undefined): boolean =>
  getFunctionResponses(event).some((answer) => answer.id === id);

function* eventsFrom(events: EventLog, start: number): Generator<Event> {
  for (let i = start; i < events.length; i++) yield events.at(i)!;
}
