import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import {
  callToApprove,
  canonicalJson,
  InterruptLog,
  isClosingRecord,
  isFinalRecord,
  isProvisional,
  requestKindOf,
} from '@thole/core/kit';
import type { Event, FunctionCall, FunctionResponse, Interrupt, Json, Part } from '@thole/core';
import { withActionMaps } from '../http/wire-event.ts';
import { fileChunk } from './file-chunk.ts';
import { ParallelEvents } from './parallel-events.ts';
import type { OpenAnswer } from './parallel-events.ts';
import { sourcesOf } from './sources-of.ts';
import { startsWithStreamed, TextBlocks } from './text-blocks.ts';
import type { UiChunk } from './ui-chunk.ts';

/** The parts of a message that the reader already has. */
export interface KnownParts {
  /** Ids of tool calls. */
  toolCallIds?: ReadonlySet<string> | undefined;
  /** Open interrupts. */
  interrupts?: readonly Interrupt[] | undefined;
}

/** Converts the events of one invocation to chunks of a message. A step is one answer of a model and the results of its calls. */
export class UiChunks {
  readonly #blocks: TextBlocks = new TextBlocks();
  readonly #log: InterruptLog = new InterruptLog();
  /** Tool calls of the message by id. The value is undefined if the reader received the call in an earlier stream. */
  readonly #calls: Map<string, FunctionCall | undefined>;
  /** Open interrupts by id. */
  readonly #open: Map<string, Interrupt>;
  readonly #longRunning: Set<string> = new Set();
  /** Ids of tool calls that a person has rejected. */
  readonly #denied: Set<string> = new Set();
  /** Ids of tool calls whose current output is their progress. */
  readonly #hasProgress: Set<string> = new Set();
  readonly #sourceIds: Set<string> = new Set();
  readonly #parallel: ParallelEvents = new ParallelEvents();
  #step: Step | undefined;
  #finishReason: string | undefined;
  #codeCalls: number = 0;
  /** Id of the last code that the provider ran. */
  #codeCallId: string | undefined;

  constructor({ toolCallIds, interrupts = [] }: KnownParts = {}) {
    this.#calls = new Map([...(toolCallIds ?? [])].map((id) => [id, undefined]));
    this.#open = new Map(interrupts.map((each) => [each.id, each]));
    for (const { id, kind } of interrupts) if (kind === 'longRunning') this.#longRunning.add(id);
  }

  /** The finish reason of the last answer. */
  get finishReason(): string | undefined {
    return this.#finishReason;
  }

  /** Returns the chunks of the next event. While an answer is written, the events of parallel agents wait for its end. */
  add(event: Event): UiChunk[] {
    if (this.#parallel.hold(event, this.#step)) return [];
    const isOther = !event.partial && event.id !== this.#step?.eventId;
    const chunks = isOther ? [...this.#addHeld(), ...this.#addNow(event)] : this.#addNow(event);
    return this.#step?.isComplete ? [...chunks, ...this.#addHeld()] : chunks;
  }

  #addHeld(): UiChunk[] {
    return this.#parallel.take().flatMap((each) => this.#addNow(each));
  }

  #addNow(nextEvent: Event): UiChunk[] {
    const event = withActionMaps(nextEvent);
    const chunks: UiChunk[] = [];
    if (event.actions.compaction) return chunks;
    if (!event.partial) this.#log.add(event);
    if (isFinalRecord(event)) this.#closeRequests(chunks);
    // The system answers requests that have expired.
    else if (event.author === 'user' || event.author === 'system') this.#addAnswers(chunks, event);
    else if (!isClosingRecord(event)) this.#addEvent(chunks, event);
    if (this.#step && !chunks.every(isOfText)) this.#step.hasOnlyText = false;
    return chunks;
  }

  /** Ends the open block and step. */
  end(chunks: UiChunk[]): void {
    chunks.push(...this.#addHeld());
    this.#blocks.close(chunks);
    if (this.#step) chunks.push({ type: 'finish-step' });
    this.#step = undefined;
  }

  #addEvent(chunks: UiChunk[], event: Event): void {
    const { progress, functionCallId } = event.customMetadata ?? {};
    if (event.partial && typeof progress === 'string' && typeof functionCallId === 'string') {
      if (!this.#calls.has(functionCallId)) return;
      this.#hasProgress.add(functionCallId);
      const output = { progress };
      chunks.push({ type: 'tool-output-available', toolCallId: functionCallId, output, preliminary: true });
      return;
    }
    const parts = event.content?.parts ?? [];
    const isAnswer = parts.some((part) => !part.functionResponse && !isRequest(part));
    if (isAnswer) this.#addModelParts(chunks, event, parts);
    if (event.partial) return;
    for (const response of getFunctionResponses(event)) this.#addResponse(chunks, event, response);
    if (event.longRunningToolIds?.length) this.#addRequests(chunks, event, event.longRunningToolIds);
    for (const [filename, version] of Object.entries(event.actions.artifactDelta))
      chunks.push({ type: 'data-artifact', id: `${filename}:${version}`, data: { filename, version } });
    if (event.finishReason !== undefined) this.#finishReason = event.finishReason;
  }

  #addModelParts(chunks: UiChunk[], event: Event, parts: readonly Part[]): void {
    this.#beginStep(chunks, event);
    const { id } = event;
    const isPartial = event.partial === true;
    const streamed = isPartial ? { text: '', reasoning: '' } : this.#streamedOf(chunks, event);
    const remaining = { text: streamed.text.length, reasoning: streamed.reasoning.length };
    for (const part of parts) {
      if (part.text !== undefined) {
        const kind = part.thought ? 'reasoning' : 'text';
        const sentLength = Math.min(remaining[kind], part.text.length);
        remaining[kind] -= sentLength;
        this.#blocks.add(chunks, id, { kind, text: part.text.slice(sentLength), isPartial });
      } else if (!isPartial) {
        this.#addPart(chunks, event, part);
      }
    }
    if (isPartial) return;
    this.#blocks.close(chunks);
    if (this.#step) this.#step.isComplete = true;
    for (const source of sourcesOf(event)) {
      if (this.#sourceIds.has(source.sourceId)) continue;
      this.#sourceIds.add(source.sourceId);
      chunks.push(source);
    }
  }

  /** Begins a step, unless the event belongs to the current step. Removes the previous answer if its model has restarted it. */
  #beginStep(chunks: UiChunk[], { id, author, branch }: Event): void {
    const step = this.#step;
    if (step?.eventId === id) return;
    this.#blocks.close(chunks);
    const isRestart = step?.hasOnlyText && !step.isComplete && step.author === author && step.branch === branch;
    if (isRestart) {
      this.#blocks.take(step.eventId);
      chunks.push({ type: 'reset-step' });
    } else {
      if (step) chunks.push({ type: 'finish-step' });
      chunks.push({ type: 'start-step' });
    }
    this.#step = { eventId: id, author, branch, isComplete: false, hasOnlyText: true };
  }

  /** Returns the streamed text of a stored event. If the stored text differs, resets the step and returns empty texts. */
  #streamedOf(chunks: UiChunk[], event: Event): { text: string; reasoning: string } {
    const streamed = this.#blocks.take(event.id);
    if (!streamed) return { text: '', reasoning: '' };
    if (startsWithStreamed(event, streamed)) return streamed;
    if (this.#step?.hasOnlyText) {
      this.#blocks.forgetOpen();
      chunks.push({ type: 'reset-step' });
    }
    return { text: '', reasoning: '' };
  }

  #addPart(chunks: UiChunk[], event: Event, part: Part): void {
    const { functionCall, executableCode, codeExecutionResult } = part;
    if (functionCall) return this.#addCall(chunks, functionCall);
    if (executableCode) {
      const { code, language } = executableCode;
      const toolCallId = (this.#codeCallId = `${event.id}:code:${this.#codeCalls++}`);
      this.#blocks.close(chunks);
      chunks.push({
        ...{ type: 'tool-input-available', toolCallId, toolName: 'code_execution', dynamic: true },
        ...{ input: { code, ...(language !== undefined && { language }) }, providerExecuted: true },
      });
    } else if (codeExecutionResult) {
      const toolCallId = this.#codeCallId;
      if (toolCallId !== undefined)
        chunks.push({ type: 'tool-output-available', toolCallId, output: { ...codeExecutionResult } as Json });
    } else {
      const file = fileChunk(part);
      if (!file) return;
      this.#blocks.close(chunks);
      chunks.push(file);
    }
  }

  #addCall(chunks: UiChunk[], call: FunctionCall): void {
    const { id, name, args, brokenArgs } = call;
    if (id === undefined || requestKindOf(name) !== undefined) return;
    this.#blocks.close(chunks);
    this.#calls.set(id, call);
    const members = { toolCallId: id, toolName: name, dynamic: true as const };
    if (brokenArgs === undefined) chunks.push({ type: 'tool-input-available', ...members, input: args });
    else
      chunks.push({
        ...{ type: 'tool-input-error', ...members, input: brokenArgs },
        errorText: 'The arguments are not a JSON object, or too deep.',
      });
  }

  #addResponse(chunks: UiChunk[], event: Event, response: FunctionResponse): void {
    const { id, name } = response;
    if (id === undefined || requestKindOf(name) !== undefined) return;
    const { requestedAuthConfigs, requestedToolConfirmations } = event.actions;
    if (Object.hasOwn(requestedToolConfirmations, id) || Object.hasOwn(requestedAuthConfigs, id)) return;
    if (!this.#calls.has(id)) this.#addCall(chunks, { id, name, args: {} });
    if (this.#denied.delete(id)) {
      chunks.push({ type: 'tool-output-denied', toolCallId: id });
      return;
    }
    const isInterim = isProvisional(event, response, { isLongRunning: this.#longRunning.has(id) });
    const errorText = errorIn(response);
    if (isInterim && !response.willContinue) return this.#addNote(chunks, id, response);
    if (errorText !== undefined) chunks.push({ type: 'tool-output-error', toolCallId: id, errorText });
    else
      chunks.push({
        ...{ type: 'tool-output-available', toolCallId: id, output: response.response },
        ...(isInterim && { preliminary: true as const }),
      });
    for (const part of response.parts ?? []) {
      const file = fileChunk(part);
      if (file) chunks.push(file);
    }
  }

  /**
   * Adds the first response of a long-running call to its request. The call has no output, so that the page can add one. An
   * output with its progress is removed.
   */
  #addNote(chunks: UiChunk[], id: string, { response }: FunctionResponse): void {
    const call = this.#calls.get(id);
    if (call && this.#hasProgress.delete(id)) this.#addCall(chunks, call);
    const interrupt = this.#open.get(id);
    if (interrupt) chunks.push({ type: 'data-interrupt', id, data: { ...interrupt, isOpen: true, note: response } });
  }

  /** Adds the requests to a person in the event. */
  #addRequests(chunks: UiChunk[], event: Event, ids: readonly string[]): void {
    for (const { id } of getFunctionCalls(event)) {
      const recorded = id !== undefined && ids.includes(id) ? this.#log.find(id) : undefined;
      if (!recorded?.isOpen || this.#open.has(id!)) continue;
      const { interrupt } = recorded;
      this.#open.set(id!, interrupt);
      if (interrupt.kind === 'longRunning') this.#longRunning.add(id!);
      this.#addApprovalRequest(chunks, interrupt);
      chunks.push({ type: 'data-interrupt', id: id!, data: { ...interrupt, isOpen: true } });
    }
  }

  #addApprovalRequest(chunks: UiChunk[], interrupt: Interrupt): void {
    const { functionCallId, id, kind, toolName = '' } = interrupt;
    if (kind !== 'confirmation' || functionCallId === undefined) return;
    const approved = callToApprove(interrupt);
    // The approval may be of a call inside an agent that runs as a tool. The page shows the call of that agent.
    const args = approved.toolName === toolName ? approved.args : (interrupt.args ?? {});
    const known = this.#calls.get(functionCallId);
    // A callback may have changed the arguments after the page received the call.
    if (!known || canonicalJson(known.args) !== canonicalJson(args))
      this.#addCall(chunks, { id: functionCallId, name: toolName, args });
    chunks.push({ type: 'tool-approval-request', approvalId: id, toolCallId: functionCallId });
  }

  #addAnswers(chunks: UiChunk[], event: Event): void {
    for (const answer of getFunctionResponses(event)) {
      const interrupt = answer.id === undefined ? undefined : this.#open.get(answer.id);
      if (!interrupt) continue;
      const { functionCallId, id, kind } = interrupt;
      if (kind === 'longRunning') this.#addResponse(chunks, event, answer);
      if (answer.willContinue) continue;
      this.#open.delete(id);
      if (kind === 'confirmation' && functionCallId !== undefined) {
        const approved = answer.response['confirmed'] === true;
        if (!approved) this.#denied.add(functionCallId);
        // The request is in an earlier message of the reader.
        if (!this.#calls.has(functionCallId)) this.#addApprovalRequest(chunks, interrupt);
        chunks.push({ type: 'tool-approval-response', approvalId: id, approved });
      }
      chunks.push({ type: 'data-interrupt', id, data: { ...interrupt, isOpen: false } });
    }
  }

  /** Closes all open requests, because the invocation was cancelled or replaced. */
  #closeRequests(chunks: UiChunk[]): void {
    for (const interrupt of this.#open.values()) {
      if (interrupt.kind === 'confirmation' && interrupt.functionCallId !== undefined)
        chunks.push({ type: 'tool-output-denied', toolCallId: interrupt.functionCallId });
      chunks.push({ type: 'data-interrupt', id: interrupt.id, data: { ...interrupt, isOpen: false } });
    }
    this.#open.clear();
  }
}

/** The current answer of a model. */
interface Step extends OpenAnswer {
  author: string;
  /** True if the step contains only texts, so that it can be reset without a loss. */
  hasOnlyText: boolean;
}

function isOfText({ type }: UiChunk): boolean {
  return type.startsWith('text-') || type.startsWith('reasoning-') || type.endsWith('-step');
}

/** True if the part is the record of a request to a person. */
function isRequest({ functionCall }: Part): boolean {
  return functionCall !== undefined && requestKindOf(functionCall.name) !== undefined;
}

/** Returns the error in a tool's response. Undefined if the response has members other than `error` and `code`. */
function errorIn({ response }: FunctionResponse): string | undefined {
  const { error, code: _, ...others } = response;
  return typeof error === 'string' && Object.keys(others).length === 0 ? error : undefined;
}
