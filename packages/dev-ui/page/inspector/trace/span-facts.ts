import type { TraceSpan } from '@thole/client';
import type { Json } from '@thole/core';

/** The kind of work in a period of time. */
export type TimeKind = 'agent' | 'model' | 'tool' | 'store' | 'wait';

/** A span as the page shows it. Times are milliseconds since the epoch. */
export interface SpanFacts {
  id: string;
  traceId: string;
  parentId: string | undefined;
  /** `other` for spans outside the conventions, such as a whole run. */
  kind: TimeKind | 'other';
  /** The name of the agent, model or tool. */
  title: string;
  agent: string | undefined;
  invocationId: string | undefined;
  eventId: string | undefined;
  startMs: number;
  endMs: number;
  /** Input and output tokens, as the model's provider counts them. */
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  /** Cost of the call, if the span has it. */
  cost: number | undefined;
  /** The type of the error, such as its code. */
  error: string | undefined;
}

/** Reads a span by the GenAI conventions, and by ADK's attributes for data that the conventions do not define. */
export function spanFacts(span: TraceSpan): SpanFacts {
  const { name, span_id, parent_span_id, start_time, end_time, attributes } = span;
  const text = (...keys: string[]): string | undefined => keys.map((key) => attributes[key]).find(isText);
  const count = (...keys: string[]): number | undefined => keys.map((key) => attributes[key]).find(isNumber);
  const operation = text('gen_ai.operation.name');
  const kind = kindOf(operation, name);
  const agent = text('gen_ai.agent.name');
  const own = { agent, model: text('gen_ai.response.model', 'gen_ai.request.model'), tool: text('gen_ai.tool.name') };
  return {
    id: span_id,
    traceId: span.trace_id,
    parentId: parent_span_id ?? undefined,
    kind,
    title: (kind === 'agent' || kind === 'model' || kind === 'tool' ? own[kind] : undefined) ?? withoutOperation(name),
    agent: agent ?? (kind === 'agent' ? withoutOperation(name) : undefined),
    invocationId: text('gcp.vertex.agent.invocation_id', 'gen_ai.invocation.id'),
    eventId: text('gcp.vertex.agent.event_id'),
    startMs: Number(start_time) / 1e6,
    endMs: Number(end_time) / 1e6,
    inputTokens: count('gen_ai.usage.input_tokens'),
    outputTokens: count('gen_ai.usage.output_tokens'),
    cost: count('gen_ai.usage.cost'),
    error: text('error.type') ?? (text('otel.status_code') === 'ERROR' ? 'error' : undefined),
  };
}

function kindOf(operation: string | undefined, name: string): SpanFacts['kind'] {
  switch (operation ?? name.split(' ')[0]) {
    case 'invoke_agent':
    case 'create_agent':
      return 'agent';
    case 'chat':
    case 'generate_content':
    case 'text_completion':
      return 'model';
    case 'execute_tool':
      return 'tool';
    case 'embeddings':
    case 'store':
    case 'append':
      return 'store';
    default:
      return 'other';
  }
}

const withoutOperation = (name: string): string =>
  name.replace(/^(invoke_agent|execute_tool|chat|generate_content) /, '');
const isText = (value: Json | undefined): value is string => typeof value === 'string' && value !== '';
const isNumber = (value: Json | undefined): value is number => typeof value === 'number';
