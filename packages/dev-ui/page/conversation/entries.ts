import type { Event, FunctionCall, FunctionResponse, Part } from '@thole/core';
import { InterruptLog, isProvisional, requestKindOf } from '@thole/core/kit';
import type { RecordedInterrupt } from '@thole/core/kit';
import { findRequests } from '../state/find-requests.ts';
import { turnFacts } from './turn-facts.ts';
import type { TurnFacts } from './turn-facts.ts';

/** One row of the conversation: the content of one event. */
export interface Entry {
  key: string;
  event: Event;
  /** True if author and time are shown: not after a row of the same author and run. */
  head: boolean;
  blocks: readonly Block[];
  /** Set for a row that is not stored: a message being sent, an answer being written, or an unfinished answer. */
  status?: 'sending' | 'writing' | 'unfinished' | undefined;
  /** Set on the last row of a turn. */
  turn?: TurnFacts | undefined;
}

export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'tool'; tool: ToolUse }
  | { kind: 'request'; call: FunctionCall; recorded: RecordedInterrupt | undefined }
  | { kind: 'file'; part: Part }
  | { kind: 'code'; code: string; language: string }
  | { kind: 'answer'; response: FunctionResponse }
  | { kind: 'error' }
  | { kind: 'note'; text: string };

/** A call and its result. */
export interface ToolUse {
  call: FunctionCall;
  /** The newest answer. */
  response?: FunctionResponse | undefined;
  /** The event of the newest answer. */
  answerEvent?: Event | undefined;
  /** `open`: without an answer; `waiting`: needs an answer from outside the run. */
  state: 'open' | 'waiting' | 'done' | 'failed';
  /** Set for a long-running call, which is its own request. */
  request?: RecordedInterrupt | undefined;
  /** Time from the call to the newest answer. */
  tookMs?: number | undefined;
}

/**
 * Returns the rows of a session in order. Tool answers are part of their call's row; events without content have no
 * row.
 */
export function toEntries(events: readonly Event[]): Entry[] {
  const history: History = { answers: answersOf(events), calls: new Set(), requests: findRequests(events) };
  const entries: Entry[] = [];
  const lastByInvocation = new Map<string, Entry>();
  let last: Entry | undefined;
  for (const event of events) {
    const blocks = blocksOf(event, history);
    if (blocks.length === 0) continue;
    const entry: Entry = {
      key: event.id,
      event,
      blocks,
      head: hasHead(event, last),
    };
    entries.push(entry);
    lastByInvocation.set(event.invocationId, entry);
    last = entry;
  }
  for (const turn of turnFacts(events)) {
    const entry = lastByInvocation.get(turn.invocationId);
    if (entry && entry.event.author !== 'user') entry.turn = turn;
  }
  return entries;
}

/** Returns the row of an answer that is being written, after the rows of the stored events. */
export function toStreamingEntry(event: Event, last: Entry | undefined): Entry {
  return {
    key: event.id,
    event,
    head: hasHead(event, last),
    blocks: blocksOf(event, { answers: new Map(), calls: new Set(), requests: new InterruptLog() }),
  };
}

function hasHead(event: Event, last: Entry | undefined): boolean {
  return last?.event.author !== event.author || last.event.invocationId !== event.invocationId;
}

/** Data about all events of a session that the rows need. */
interface History {
  answers: ReadonlyMap<string, Answer>;
  /** Ids of the calls in earlier events. */
  calls: Set<string>;
  requests: InterruptLog;
}

type Answer = { response: FunctionResponse; event: Event };

function answersOf(events: readonly Event[]): Map<string, Answer> {
  const answers = new Map<string, Answer>();
  for (const event of events) {
    for (const { functionResponse } of event.content?.parts ?? []) {
      if (functionResponse?.id !== undefined) answers.set(functionResponse.id, { response: functionResponse, event });
    }
  }
  return answers;
}

function blocksOf(event: Event, history: History): Block[] {
  const blocks = (event.content?.parts ?? []).flatMap((part) => partBlock(event, part, history) ?? []);
  const transcript = event.inputTranscription?.text ?? event.outputTranscription?.text;
  if (transcript !== undefined && blocks.length === 0) blocks.push({ kind: 'text', text: transcript });
  if (event.errorCode !== undefined) {
    const text = Object.hasOwn(stopNotes, event.errorCode) ? stopNotes[event.errorCode] : undefined;
    blocks.push(text === undefined ? { kind: 'error' } : { kind: 'note', text });
  }
  const note = noteOf(event, blocks.length === 0);
  if (note !== undefined) blocks.push({ kind: 'note', text: note });
  return blocks;
}

function partBlock(event: Event, part: Part, history: History): Block | undefined {
  const { text, functionCall, functionResponse: response, executableCode, codeExecutionResult } = part;
  if (text !== undefined) return text.trim() === '' ? undefined : { kind: part.thought ? 'thought' : 'text', text };
  if (functionCall) return callBlock(event, functionCall, history);
  if (response) {
    // An answer is shown with its call, unless a person gave it or the call is missing.
    const isWithCall = event.author !== 'user' && response.id !== undefined && history.calls.has(response.id);
    return isWithCall ? undefined : { kind: 'answer', response };
  }
  if (part.inlineData ?? part.fileData) return { kind: 'file', part };
  if (executableCode) {
    const { code, language = '' } = executableCode;
    return { kind: 'code', code, language: language.toLowerCase() };
  }
  return codeExecutionResult && { kind: 'code', code: codeExecutionResult.output ?? '', language: 'output' };
}

/** Notes for codes of runs that were stopped from outside, which is not an error. */
const stopNotes: Record<string, string> = {
  RUN_ABORTED: 'Stopped.',
  RUN_LEFT: "Stopped because the page was closed. With `onDisconnect: 'continue'` such a run continues.",
  RUN_INTERRUPTED: 'Stopped because a newer run of the session started.',
};

function callBlock(event: Event, call: FunctionCall, history: History): Block {
  if (call.id !== undefined) history.calls.add(call.id);
  if (requestKindOf(call.name) === undefined || event.author === 'user')
    return { kind: 'tool', tool: toolUse(event, call, history) };
  return { kind: 'request', call, recorded: call.id === undefined ? undefined : history.requests.find(call.id) };
}

function toolUse(event: Event, call: FunctionCall, { answers, requests }: History): ToolUse {
  const { id } = call;
  const answer = id === undefined ? undefined : answers.get(id);
  const isLongRunning = id !== undefined && event.longRunningToolIds?.includes(id) === true;
  const request = isLongRunning ? requests.find(id) : undefined;
  const isWaiting = id !== undefined && requests.ofCall(id).some(({ isOpen }) => isOpen);
  const use: ToolUse = { call, state: isWaiting ? 'waiting' : 'open', ...(request && { request }) };
  if (!answer) return use;
  const { response } = answer;
  const tookMs = Math.max(0, (answer.event.timestamp - event.timestamp) * 1_000);
  Object.assign(use, { response, answerEvent: answer.event, tookMs });
  if (isProvisional(answer.event, response, { isLongRunning })) return use;
  const failed = response.response['error'] !== undefined && response.response['error'] !== null;
  return { ...use, state: failed ? 'failed' : 'done' };
}

function noteOf(event: Event, hasNoBlocks: boolean): string | undefined {
  const { actions } = event;
  if (actions.transferToAgent !== undefined) return `Transferred to ${actions.transferToAgent}.`;
  if (actions.compaction) return `${actions.compaction.eventIds.length} older events were summarized.`;
  if (!hasNoBlocks) return undefined;
  const files = Object.keys(actions.artifactDelta);
  if (files.length > 0) return `Saved ${files.join(', ')}.`;
  const keys = Object.keys(actions.stateDelta).filter((key) => key !== '__session_metadata__');
  return keys.length > 0 ? `State changed: ${keys.join(', ')}.` : undefined;
}
