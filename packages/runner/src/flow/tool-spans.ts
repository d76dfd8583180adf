import { TholeError } from '@thole/core';
import type { Event, FunctionCall, Span } from '@thole/core';
import type { RequestDraft } from '../request/request-draft.ts';
import { inSpan } from '../traces/run-trace.ts';
import type { RunTrace } from '../traces/run-trace.ts';
import { runCall } from './run-call.ts';
import type { ToolAnswer, ToolProgress } from './run-tool.ts';

type Call = FunctionCall & { id: string };

/** The spans of the tool calls of one turn. */
export class ToolSpans {
  readonly #trace: RunTrace;
  readonly #draft: RequestDraft;
  readonly #spans: Map<string, Span> = new Map();

  constructor(trace: RunTrace, draft: RequestDraft) {
    this.#trace = trace;
    this.#draft = draft;
  }

  /**
   * Runs one call within a span. The span stays open until `end` is called: if a hook throws, the end of the run answers
   * the call.
   */
  run(call: Call, progress: ToolProgress, event: Event): Promise<ToolAnswer> {
    const span = this.#begin(call);
    return inSpan(span, () => runCall(this.#draft, event, call, { span, progress }));
  }

  /** Ends the span of a call. `eventId` is the id of the event with the answer. Undefined if the call is answered later. */
  end(call: Call, answer: ToolAnswer, eventId: string | undefined): void {
    const span = this.#spans.get(call.id);
    if (!span) return;
    const { response } = answer;
    this.#trace.set(span, () => ({ 'gcp.vertex.agent.event_id': eventId }));
    if (response !== undefined)
      this.#trace.setContent(span, {
        adk: () => ({ 'gcp.vertex.agent.tool_response': JSON.stringify(response) }),
        genAi: () => ({ 'gen_ai.tool.call.result': JSON.stringify(response) }),
      });
    this.#trace.end(span, answer.error ?? (answer.isRefused ? refusedError(call) : undefined));
  }

  #begin(call: Call): Span {
    const { agent, context, tools } = this.#draft;
    const tool = tools?.get(call.name);
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.name,
      // The type is missing if the model invented the tool's name. Metrics do not count by such names.
      'gen_ai.tool.type': tool && 'function',
      'gen_ai.tool.description': tool?.description,
      'gen_ai.tool.call.id': call.id,
      'gen_ai.agent.name': agent.name,
    };
    const span = this.#trace.begin(`execute_tool ${call.name}`, attributes, context.span);
    this.#spans.set(call.id, span);
    this.#trace.setContent(span, {
      adk: () => ({ 'gcp.vertex.agent.tool_call_args': JSON.stringify(call.args) }),
      genAi: () => ({ 'gen_ai.tool.call.arguments': JSON.stringify(call.args) }),
    });
    return span;
  }
}

function refusedError(call: Call): TholeError {
  return new TholeError(
    'INVALID_INPUT',
    `The call of ${call.name} was refused: the agent has no such tool, or the arguments do not match its schema.`,
  );
}
