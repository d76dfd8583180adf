import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Event, EventLog, InvocationContext, Plugin } from '@thole/core';

/** Options of `SessionWindowPlugin`. */
export interface SessionWindowPluginOptions {
  /** Number of messages of the user, each with the events after it. Default: 30. */
  turns?: number | undefined;
  name?: string | undefined;
}

const windowOptionNames = optionNames<SessionWindowPluginOptions>({ turns: true, name: true });

/**
 * Limits prompts to the last N messages of the user and the events after them. Function responses do not count as messages. A function
 * call is shown with all its responses or not at all, and the current invocation completely. Stored events do not change, and summaries
 * of older events stay in the prompt.
 */
export class SessionWindowPlugin implements Plugin {
  readonly name: string;
  readonly #turns: number;

  constructor(options: SessionWindowPluginOptions = {}) {
    rejectUnknownOptions(options, windowOptionNames, 'SessionWindowPlugin');
    const { turns = 30, name = 'session_window' } = options;
    assertCount('turns', turns, 1);
    this.name = name;
    this.#turns = turns;
  }

  /** Returns the events for the prompt. Called by the runner. */
  selectHistoryCallback(p: {
    invocationContext: InvocationContext;
    events: EventLog;
  }): readonly Event[] | { fromSeq: number } | undefined {
    const { events, invocationContext } = p;
    const start = findWindowStart(events, this.#turns, invocationContext.invocationId);
    if (start === 0) return undefined;
    const older = selectEventsBefore(events, start, invocationContext.invocationId);
    const fromSeq = events.at(start)?.seq;
    if (older.length === 0 && fromSeq !== undefined) return { fromSeq };
    return [...older, ...eventsFrom(events, start)];
  }
}

/**
 * Returns the index of the window's first message. If events of the current invocation are directly before that message, returns
 * the index of the first of them.
 */
function findWindowStart(events: EventLog, turns: number, invocationId: string): number {
  let remaining = turns;
  let start = events.length;
  while (start > 0 && remaining > 0) if (isUserMessage(events.at(--start)!)) remaining--;
  if (remaining > 0) return 0;
  // Other callers may have added messages during the invocation.
  while (start > 0 && events.at(start - 1)!.invocationId === invocationId) start--;
  return start;
}

function isUserMessage({ author, content, partial }: Event): boolean {
  if (author !== 'user' || partial) return false;
  return (content?.parts ?? []).some((part) => !part.functionResponse && !part.thought && part.text?.trim() !== '');
}

/**
 * Returns the events before the window that belong to the current invocation, or contain calls with responses in the window. Adds all
 * other responses to these calls, and so on, so that no call is shown without its responses. Adds the message before each call, because
 * models expect it.
 */
function selectEventsBefore(events: EventLog, start: number, invocationId: string): Event[] {
  const selected = new Set<number>();
  function chooseCall(id: string | undefined, before: number): void {
    for (let i = before - 1; i >= 0; i--) if (hasCall(events.at(i)!, id)) return choose(i);
  }
  function chooseMessage(before: number): void {
    for (let i = before - 1; i >= 0; i--) if (isUserMessage(events.at(i)!)) return void selected.add(i);
  }
  function choose(index: number): void {
    if (selected.has(index)) return;
    selected.add(index);
    const event = events.at(index)!;
    for (const { id } of getFunctionResponses(event)) chooseCall(id, index);
    const calls = getFunctionCalls(event);
    if (calls.length > 0) chooseMessage(index);
    for (const { id } of calls) {
      // Up to the next call with the same id.
      for (let i = index + 1; i < start && !hasCall(events.at(i)!, id); i++)
        if (hasResponse(events.at(i)!, id)) choose(i);
    }
  }
  // A resumed invocation began before the messages that arrived while it was paused.
  for (let i = 0; i < start; i++) if (events.at(i)!.invocationId === invocationId) choose(i);
  const calledIds = new Set<string | undefined>([undefined]);
  for (let i = start; i < events.length; i++) {
    const event = events.at(i)!;
    for (const { id } of getFunctionResponses(event)) if (!calledIds.has(id)) chooseCall(id, start);
    for (const { id } of getFunctionCalls(event)) calledIds.add(id);
  }
  return [...selected].toSorted((a, b) => a - b).map((i) => events.at(i)!);
}

const hasCall = (event: Event, id: string | undefined): boolean =>
  getFunctionCalls(event).some((call) => call.id === id);
const hasResponse = (event: Event, id: string | undefined): boolean =>
  getFunctionResponses(event).some((response) => response.id === id);

function* eventsFrom(events: EventLog, start: number): Generator<Event> {
  for (let i = start; i < events.length; i++) yield events.at(i)!;
}
