import type { Histogram, Meter } from '@opentelemetry/api';

/** Bucket boundaries in seconds, as the conventions recommend. */
const seconds: readonly number[] = Array.from({ length: 14 }, (_, i) => 2 ** i / 100);
const agentSeconds: readonly number[] = Array.from({ length: 13 }, (_, i) => 2 ** i / 10);
const workflowSeconds: readonly number[] = [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200];
const tokens: readonly number[] = Array.from({ length: 14 }, (_, i) => 4 ** i);

const mcpSeconds: readonly number[] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** The histograms of MCP, with their descriptions. All are in seconds. */
const mcpDurations: readonly (readonly [name: string, description: string])[] = [
  ['mcp.client.operation.duration', 'Duration of a request to an MCP server, until its response.'],
  ['mcp.client.session.duration', 'Duration of a session with an MCP server.'],
  ['mcp.server.operation.duration', 'Duration of the work on a request of an MCP client.'],
  ['mcp.server.session.duration', 'Duration of a session with an MCP client.'],
];

/** The histograms of OpenTelemetry's conventions for GenAI. */
export interface GenAiMetrics {
  readonly operationDuration: Histogram;
  readonly timeToFirstChunk: Histogram;
  readonly timePerOutputChunk: Histogram;
  readonly tokenUsage: Histogram;
  readonly agentDuration: Histogram;
  readonly toolDuration: Histogram;
  readonly workflowDuration: Histogram;
  /** Histograms that `Tracer.measure` records, by name. */
  readonly measured: ReadonlyMap<string, Histogram>;
}

/** Creates the histograms. A meter returns the same histogram for the same name. */
export function createGenAiMetrics(meter: Meter): GenAiMetrics {
  const histogram = (name: string, unit: string, description: string, boundaries: readonly number[]): Histogram =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: [...boundaries] } });
  return {
    operationDuration: histogram(
      'gen_ai.client.operation.duration',
      's',
      'Duration of a call of a model, an embedder or a memory.',
      seconds,
    ),
    timeToFirstChunk: histogram(
      'gen_ai.client.operation.time_to_first_chunk',
      's',
      'Time from the request to the first piece of a streamed answer.',
      seconds,
    ),
    timePerOutputChunk: histogram(
      'gen_ai.client.operation.time_per_output_chunk',
      's',
      'Time between two pieces of a streamed answer.',
      seconds,
    ),
    tokenUsage: histogram('gen_ai.client.token.usage', '{token}', 'Tokens of a model call.', tokens),
    agentDuration: histogram('gen_ai.invoke_agent.duration', 's', 'Duration of an agent in a run.', agentSeconds),
    toolDuration: histogram('gen_ai.execute_tool.duration', 's', 'Duration of a tool call.', seconds),
    workflowDuration: histogram('gen_ai.workflow.duration', 's', 'Duration of a run.', workflowSeconds),
    measured: new Map(mcpDurations.map(([name, text]) => [name, histogram(name, 's', text, mcpSeconds)])),
  };
}
