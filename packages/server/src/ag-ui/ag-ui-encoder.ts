import { getFunctionCalls, getFunctionResponses } from '@thole/core';
import { isProvisional, requestKindOf } from '@thole/core/kit';
import type { Event, FunctionResponse, JsonObject, StateMap } from '@thole/core';
import type { EventEncoder, RunFailure, RunOutcome } from '../front-ends/event-encoder.ts';
import { visibleState } from './client-state.ts';
import { eventFrame } from './event-frame.ts';
import { MessageStream, reasoningIdOf } from './message-stream.ts';
import { patchState } from './state-patch.ts';
import { StepStream } from './step-stream.ts';
import { toOutcome } from './to-outcome.ts';
import { TokenUsage } from './token-usage.ts';

/** Version of the protocol. */
const PROTOCOL_VERSION = '1.0';

/** Options of `AgUiEncoder`. */
export interface AgUiEncoderOptions {
  threadId: string;
  runId: string;
  /** State of the session before the run, and the `seq` of its newest event. Later events change it. */
  state: StateMap;
  lastSeq: number;
  /** Names of the client's tools. */
  clientTools: ReadonlySet<string>;
  /** Calls whose results the request contains: the client has them. */
  answered: ReadonlySet<string>;
  /** Names of the agents that run as tools, by the names of their tools. */
  agentTools: ReadonlyMap<string, string>;
  /** Agents whose partial events are left out. */
  checkedAuthors: ReadonlySet<string>;
}

/**
 * Encodes a run as events of AG-UI 1.0. One invocation may have several runs of AG-UI: the stream contains the events from the first
 * one with the id of this run to the first one of the next run.
 */
export class AgUiEncoder implements EventEncoder {
  readonly #options: AgUiEncoderOptions;
  readonly #messages: MessageStream;
  readonly #steps: StepStream = new StepStream();
  readonly #usage: TokenUsage = new TokenUsage();
  readonly #state: JsonObject;
  readonly #longRunning: Set<string> = new Set();
  /** Calls of agents that run as tools, without their answers. */
  readonly #subagents: Set<string> = new Set();
  #place: 'before' | 'inside' | 'after' = 'before';

  constructor(options: AgUiEncoderOptions) {
    this.#options = options;
    this.#messages = new MessageStream(options.checkedAuthors);
    this.#state = visibleState(options.state);
  }

  start(): string {
    const { runId, threadId } = this.#options;
    const started = eventFrame('RUN_STARTED', { threadId, runId, protocolVersion: PROTOCOL_VERSION });
    return started + eventFrame('STATE_SNAPSHOT', { snapshot: this.#state });
  }

  event(event: Event): string {
    if (!this.#isOfRun(event)) return '';
    const isOfAgent = event.author !== 'user' && event.author !== 'system';
    if (event.partial) return isOfAgent ? this.#partial(event) : '';
    this.#usage.add(event);
    const hasContent = (event.content?.parts?.length ?? 0) > 0;
    let frames = '';
    if (isOfAgent && hasContent)
      frames += this.#steps.enter(event) + this.#messages.complete(event) + this.#calls(event) + seals(event);
    return frames + this.#results(event) + this.#stateDelta(event);
  }

  end({ interrupts }: RunOutcome): string {
    const open = interrupts.map(({ id }) => id);
    return this.#close(open) + this.#finished(toOutcome(interrupts, this.#options.clientTools));
  }

  error({ code, message }: RunFailure): string {
    const closed = this.#close([]);
    if (code === 'RUN_ABORTED') return closed + this.#finished({ type: 'cancelled' });
    return closed + eventFrame('RUN_ERROR', { message, code, ...this.#usage.toMembers() });
  }

  #isOfRun({ author, customMetadata }: Event): boolean {
    const runId = customMetadata?.['agUiRunId'];
    if (this.#place === 'before' && runId === this.#options.runId) this.#place = 'inside';
    else if (this.#place === 'inside' && author === 'user' && runId !== undefined && runId !== this.#options.runId)
      this.#place = 'after';
    return this.#place === 'inside';
  }

  #partial(event: Event): string {
    const frames = this.#messages.partial(event);
    return frames === '' ? '' : this.#steps.enter(event) + frames;
  }

  #calls(event: Event): string {
    let frames = '';
    for (const { args, id: toolCallId, name } of getFunctionCalls(event)) {
      if (toolCallId === undefined || requestKindOf(name) !== undefined) continue;
      if (event.longRunningToolIds?.includes(toolCallId)) this.#longRunning.add(toolCallId);
      frames += eventFrame('TOOL_CALL_START', { toolCallId, toolCallName: name, parentMessageId: event.id });
      frames += eventFrame('TOOL_CALL_ARGS', { toolCallId, delta: JSON.stringify(args) });
      frames += eventFrame('TOOL_CALL_END', { toolCallId });
      const agentName = this.#options.agentTools.get(name);
      if (agentName === undefined) continue;
      this.#subagents.add(toolCallId);
      frames += eventFrame('SUBAGENT_STARTED', {
        ...{ subagentRunId: toolCallId, name: agentName },
        ...{ parentToolCallId: toolCallId, parentMessageId: event.id },
      });
    }
    return frames;
  }

  #results(event: Event): string {
    let frames = '';
    for (const answer of getFunctionResponses(event)) {
      const { id: toolCallId, name } = answer;
      if (toolCallId === undefined || requestKindOf(name) !== undefined) continue;
      if (isProvisional(event, answer, { isLongRunning: this.#longRunning.has(toolCallId) })) continue;
      if (event.author === 'user' && this.#options.answered.has(toolCallId)) continue;
      frames += this.#endSubagent(toolCallId, answer);
      frames += eventFrame('TOOL_CALL_RESULT', {
        ...{ messageId: `${event.id}:${toolCallId}`, toolCallId, role: 'tool', content: contentOf(answer) },
      });
    }
    return frames;
  }

  #endSubagent(subagentRunId: string, { response }: FunctionResponse): string {
    if (!this.#subagents.delete(subagentRunId)) return '';
    const { error } = response;
    return typeof error === 'string'
      ? eventFrame('SUBAGENT_ERROR', { subagentRunId, message: error })
      : eventFrame('SUBAGENT_FINISHED', { subagentRunId, outcome: { type: 'success' } });
  }

  #stateDelta({ actions, seq }: Event): string {
    if (seq === undefined || seq <= this.#options.lastSeq) return '';
    const delta = patchState(this.#state, visibleState(actions.stateDelta));
    return delta.length > 0 ? eventFrame('STATE_DELTA', { delta: delta as unknown as JsonObject[] }) : '';
  }

  /** Ends everything that is open. Agents that run as tools wait for an interrupt, or were stopped. */
  #close(interruptIds: readonly string[]): string {
    let frames = this.#messages.closeAll();
    for (const subagentRunId of this.#subagents)
      frames +=
        interruptIds.length > 0
          ? eventFrame('SUBAGENT_FINISHED', {
              subagentRunId,
              outcome: { type: 'suspended', interruptIds: [...interruptIds] },
            })
          : eventFrame('SUBAGENT_ERROR', { subagentRunId, message: 'The run has ended.' });
    this.#subagents.clear();
    return frames + this.#steps.closeAll();
  }

  #finished(outcome: JsonObject): string {
    const { runId, threadId } = this.#options;
    return eventFrame('RUN_FINISHED', { threadId, runId, outcome, ...this.#usage.toMembers() });
  }
}

/** Returns the opaque values of a provider: those of calls belong to the call, others to their message. */
function seals(event: Event): string {
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

/** Returns a result as text: that of `{result: text}`, otherwise JSON. */
export function contentOf({ response }: FunctionResponse): string {
  const { result } = response;
  return typeof result === 'string' && Object.keys(response).length === 1 ? result : JSON.stringify(response);
}
