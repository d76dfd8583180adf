import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, FunctionResponse, JsonObject, StateMap } from '@thole/core';
import type { EventEncoder, RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { visibleState } from './client-state.ts';
import { eventFrame } from './event-frame.ts';
import { MessageStream, reasoningIdOf } from './message-stream.ts';
import { toolMessageId } from './new-message.ts';
import { patchState } from './state-patch.ts';
import { StepStream } from './step-stream.ts';
import { toOutcome } from './to-outcome.ts';
import { TokenUsage } from './token-usage.ts';

/** Version of AG-UI. */
const PROTOCOL_VERSION = '1.0';

/** Options of `AgUiEncoder`. */
export interface AgUiEncoderOptions {
  threadId: string;
  runId: string;
  /** State of the session before the run, and the `seq` of its newest event. Later events change it. */
  state: StateMap;
  lastSeq: number;
  /** Messages of the session, for a client that may have a part of the run already. */
  messages?: readonly JsonObject[] | undefined;
  /** Names of the client's tools. */
  clientTools: ReadonlySet<string>;
  /** Ids of calls whose results the request contains. They are not sent back to the client. */
  answeredCallIds: ReadonlySet<string>;
  /** Names of the agents that run as tools, by tool name. */
  agentTools: ReadonlyMap<string, string>;
  /** Agents whose partial events are left out. */
  checkedAuthors: ReadonlySet<string>;
}

/**
 * Encodes a run as events of AG-UI 1.0. An invocation may have several AG-UI runs. The stream contains the events from the first
 * event with the id of this run up to the first event of the next run.
 */
export class AgUiEncoder implements EventEncoder {
  readonly #options: AgUiEncoderOptions;
  readonly #messages: MessageStream;
  readonly #steps: StepStream = new StepStream();
  readonly #usage: TokenUsage = new TokenUsage();
  readonly #state: JsonObject;
  readonly #longRunningCalls: Set<string> = new Set();
  /** Ids of unanswered calls of agents that run as tools. */
  readonly #openSubagentCalls: Set<string> = new Set();
  #place: 'before' | 'inside' | 'after' = 'before';

  constructor(options: AgUiEncoderOptions) {
    this.#options = options;
    this.#messages = new MessageStream(options.checkedAuthors);
    this.#state = visibleState(options.state);
  }

  start(): string {
    const { messages, runId, threadId } = this.#options;
    const started = eventFrame('RUN_STARTED', { threadId, runId, protocolVersion: PROTOCOL_VERSION });
    const state = eventFrame('STATE_SNAPSHOT', { snapshot: this.#state });
    return started + state + (messages ? eventFrame('MESSAGES_SNAPSHOT', { messages: [...messages] }) : '');
  }

  event(event: Event): string {
    if (!this.#isInRun(event)) return '';
    const isByAgent = event.author !== 'user' && event.author !== 'system';
    if (event.partial) return isByAgent ? this.#partialFrames(event) : '';
    this.#usage.add(event);
    const hasContent = (event.content?.parts?.length ?? 0) > 0;
    let frames = '';
    if (isByAgent && hasContent)
      frames +=
        this.#steps.enter(event) +
        this.#messages.addComplete(event) +
        this.#callFrames(event) +
        encryptedValueFrames(event);
    return frames + this.#resultFrames(event) + this.#stateDeltaFrame(event);
  }

  end({ interrupts }: RunOutcome): string {
    const open = interrupts.map(({ id }) => id);
    return this.#closeAll(open) + this.#finishFrame(toOutcome(interrupts, this.#options.clientTools));
  }

  error({ code, message }: RunFailure): string {
    const closed = this.#closeAll([]);
    if (code === 'RUN_ABORTED') return closed + this.#finishFrame({ type: 'cancelled' });
    return closed + eventFrame('RUN_ERROR', { message, code, ...this.#usage.toMembers() });
  }

  #isInRun({ author, customMetadata }: Event): boolean {
    const runId = customMetadata?.['agUiRunId'];
    if (this.#place === 'before' && runId === this.#options.runId) this.#place = 'inside';
    else if (this.#place === 'inside' && author === 'user' && runId !== undefined && runId !== this.#options.runId)
      this.#place = 'after';
    return this.#place === 'inside';
  }

  #partialFrames(event: Event): string {
    const frames = this.#messages.addPartial(event);
    return frames === '' ? '' : this.#steps.enter(event) + frames;
  }

  #callFrames(event: Event): string {
    let frames = '';
    for (const { args, id: toolCallId, name } of getFunctionCalls(event)) {
      if (toolCallId === undefined || requestKindOf(name) !== undefined) continue;
      if (event.longRunningToolIds?.includes(toolCallId)) this.#longRunningCalls.add(toolCallId);
      frames += eventFrame('TOOL_CALL_START', { toolCallId, toolCallName: name, parentMessageId: event.id });
      frames += eventFrame('TOOL_CALL_ARGS', { toolCallId, delta: JSON.stringify(args) });
      frames += eventFrame('TOOL_CALL_END', { toolCallId });
      const agentName = this.#options.agentTools.get(name);
      if (agentName === undefined) continue;
      this.#openSubagentCalls.add(toolCallId);
      frames += eventFrame('SUBAGENT_STARTED', {
        subagentRunId: toolCallId,
        name: agentName,
        parentToolCallId: toolCallId,
        parentMessageId: event.id,
      });
    }
    return frames;
  }

  #resultFrames(event: Event): string {
    let frames = '';
    for (const answer of getFunctionResponses(event)) {
      const { id: toolCallId, name } = answer;
      if (toolCallId === undefined || requestKindOf(name) !== undefined) continue;
      if (isProvisional(event, answer, { isLongRunning: this.#longRunningCalls.has(toolCallId) })) continue;
      if (event.author === 'user' && this.#options.answeredCallIds.has(toolCallId)) continue;
      frames += this.#endSubagent(toolCallId, answer);
      frames += eventFrame('TOOL_CALL_RESULT', {
        messageId: toolMessageId(event, toolCallId),
        toolCallId,
        role: 'tool',
        content: contentOf(answer),
      });
    }
    return frames;
  }

  #endSubagent(subagentRunId: string, { response }: FunctionResponse): string {
    if (!this.#openSubagentCalls.delete(subagentRunId)) return '';
    const { error } = response;
    return typeof error === 'string'
      ? eventFrame('SUBAGENT_ERROR', { subagentRunId, message: error })
      : eventFrame('SUBAGENT_FINISHED', { subagentRunId, outcome: { type: 'success' } });
  }

  #stateDeltaFrame({ actions, seq }: Event): string {
    if (seq === undefined || seq <= this.#options.lastSeq) return '';
    const delta = patchState(this.#state, visibleState(actions.stateDelta));
    return delta.length > 0 ? eventFrame('STATE_DELTA', { delta: delta as unknown as JsonObject[] }) : '';
  }

  /**
   * Ends open messages, agents that run as tools, and steps. With interrupts, the agents are suspended, otherwise they have
   * failed.
   */
  #closeAll(interruptIds: readonly string[]): string {
    let frames = this.#messages.closeAll();
    for (const subagentRunId of this.#openSubagentCalls)
      frames +=
        interruptIds.length > 0
          ? eventFrame('SUBAGENT_FINISHED', {
              subagentRunId,
              outcome: { type: 'suspended', interruptIds: [...interruptIds] },
            })
          : eventFrame('SUBAGENT_ERROR', { subagentRunId, message: 'The run has ended.' });
    this.#openSubagentCalls.clear();
    return frames + this.#steps.closeAll();
  }

  #finishFrame(outcome: JsonObject): string {
    const { runId, threadId } = this.#options;
    return eventFrame('RUN_FINISHED', { threadId, runId, outcome, ...this.#usage.toMembers() });
  }
}

/** Returns the frames of a provider's encrypted values. Each belongs to a call or to a message. */
function encryptedValueFrames(event: Event): string {
  return (event.content?.parts ?? [])
    .map(({ functionCall, thought, thoughtSignature }) => {
      if (thoughtSignature === undefined) return '';
      const encryptedValue = thoughtSignature;
      if (functionCall?.id !== undefined)
        return eventFrame('REASONING_ENCRYPTED_VALUE', {
          subtype: 'tool-call',
          entityId: functionCall.id,
          encryptedValue,
        });
      const entityId = thought ? reasoningIdOf(event.id) : event.id;
      return eventFrame('REASONING_ENCRYPTED_VALUE', { subtype: 'message', entityId, encryptedValue });
    })
    .join('');
}

/** Returns the content of a result: the text of `{result: text}`, otherwise the response as JSON. */
export function contentOf({ response }: FunctionResponse): string {
  const { result } = response;
  return typeof result === 'string' && Object.keys(response).length === 1 ? result : JSON.stringify(response);
}
