import type { Attributes, Context, Histogram } from '@opentelemetry/api';
import { errorTypeOf } from '@thole/core/kit';
import type { Json, SpanAttributes } from '@thole/core';
import type { GenAiMetrics } from './genai-metrics.ts';
import type { MetricsRecorder } from './metrics-recorder.ts';

/** The histogram and the attributes of a kind of operation. */
interface Measure {
  readonly duration: (metrics: GenAiMetrics) => Histogram;
  /** Attributes of the span that the measurement also has. Each has few different values. */
  readonly attributes: readonly string[];
}

const client: Measure = {
  duration: ({ operationDuration }) => operationDuration,
  attributes: [
    'gen_ai.operation.name',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.response.model',
    'server.address',
    'server.port',
  ],
};

const measures: ReadonlyMap<unknown, Measure> = new Map<unknown, Measure>([
  ['generate_content', client],
  ['embeddings', client],
  ['retrieval', client],
  ['search_memory', client],
  ['create_memory', client],
  ['update_memory', client],
  ['upsert_memory', client],
  ['delete_memory', client],
  [
    'invoke_agent',
    { duration: ({ agentDuration }) => agentDuration, attributes: ['gen_ai.agent.name', 'gen_ai.request.model'] },
  ],
  [
    'execute_tool',
    {
      duration: ({ toolDuration }) => toolDuration,
      attributes: ['gen_ai.tool.name', 'gen_ai.tool.type', 'gen_ai.agent.name'],
    },
  ],
  ['invoke_workflow', { duration: ({ workflowDuration }) => workflowDuration, attributes: ['gen_ai.workflow.name'] }],
]);

/** Measures one operation, from the start of its span to its end. */
export class MeasuredOperation {
  readonly #recorder: MetricsRecorder;
  readonly #measure: Measure;
  readonly #context: Context;
  readonly #startSeconds: number;
  readonly #attributes: { [name: string]: Json | undefined };
  #lastChunk: number | undefined;

  private constructor(recorder: MetricsRecorder, measure: Measure, attributes: SpanAttributes, context: Context) {
    this.#recorder = recorder;
    this.#measure = measure;
    this.#context = context;
    this.#attributes = { ...attributes };
    this.#startSeconds = recorder.seconds();
  }

  /** Begins a measurement. Returns undefined for a span without metrics, such as a span of the application. */
  static begin(recorder: MetricsRecorder, attributes: SpanAttributes, context: Context): MeasuredOperation | undefined {
    const measure = measures.get(attributes['gen_ai.operation.name']);
    return measure && new MeasuredOperation(recorder, measure, attributes, context);
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.#attributes, attributes);
  }

  chunk(): void {
    const { histograms } = this.#recorder;
    const now = this.#recorder.seconds();
    const isFirst = this.#lastChunk === undefined;
    const histogram = isFirst ? histograms.timeToFirstChunk : histograms.timePerOutputChunk;
    histogram.record(now - (this.#lastChunk ?? this.#startSeconds), this.#metricAttributes(), this.#context);
    this.#lastChunk = now;
  }

  end(error: unknown): void {
    const type = this.#attributes['error.type'] ?? (error === undefined ? undefined : errorTypeOf(error));
    const attributes = this.#metricAttributes();
    if (typeof type === 'string') attributes['error.type'] = type;
    const seconds = this.#recorder.seconds() - this.#startSeconds;
    this.#measure.duration(this.#recorder.histograms).record(seconds, attributes, this.#context);
    if (!this.#recorder.countsTokens) return;
    this.#countTokens('input', this.#attributes['gen_ai.usage.input_tokens']);
    this.#countTokens('output', this.#attributes['gen_ai.usage.output_tokens']);
  }

  #countTokens(type: 'input' | 'output', count: Json | undefined): void {
    if (typeof count !== 'number') return;
    const attributes = { ...this.#metricAttributes(), 'gen_ai.token.type': type };
    this.#recorder.histograms.tokenUsage.record(count, attributes, this.#context);
  }

  #metricAttributes(): Attributes {
    const own: Attributes = {};
    for (const name of this.#measure.attributes) {
      const value = this.#attributes[name];
      if (typeof value === 'string' || typeof value === 'number') own[name] = value;
    }
    // A tool without a type does not exist: the model invented its name.
    if (own['gen_ai.tool.name'] !== undefined && own['gen_ai.tool.type'] === undefined)
      own['gen_ai.tool.name'] = '_OTHER';
    return own;
  }
}
