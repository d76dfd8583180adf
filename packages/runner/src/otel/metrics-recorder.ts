import { metrics } from '@opentelemetry/api';
import type { Meter, MeterProvider } from '@opentelemetry/api';
import { systemRuntime } from '@thole/core';
import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import { createGenAiMetrics } from './genai-metrics.ts';
import type { GenAiMetrics } from './genai-metrics.ts';

/** Options of the metrics of `openTelemetryTracer`. All are optional. */
export interface MetricsOptions {
  /** OpenTelemetry's meter. Default: the meter `name` of the global provider, which may be registered later. */
  meter?: Meter | undefined;
  /** True to record `gen_ai.client.token.usage`, which the conventions are about to replace. Default: false. */
  tokens?: boolean | undefined;
  /** Clock of the durations. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

const knownOptions = optionNames<MetricsOptions>({ meter: true, tokens: true, runtime: true });

/** The histograms, their clock, and the option `tokens`. */
export class MetricsRecorder {
  readonly countsTokens: boolean;
  readonly #name: string;
  readonly #runtime: Runtime;
  readonly #ownHistograms: GenAiMetrics | undefined;
  #provider: MeterProvider | undefined;
  #globalHistograms: GenAiMetrics | undefined;

  /** Throws `INVALID_INPUT` for an unknown option. */
  constructor(options: MetricsOptions, name: string) {
    rejectUnknownOptions(options, knownOptions, 'metrics of openTelemetryTracer');
    const { meter, tokens = false, runtime = systemRuntime() } = options;
    this.#name = name;
    this.#runtime = runtime;
    this.#ownHistograms = meter && createGenAiMetrics(meter);
    this.countsTokens = tokens;
  }

  /** Returns seconds that never decrease, from an arbitrary start. */
  seconds(): number {
    return this.#runtime.monotonic() / 1000;
  }

  /** The histograms of the given meter, or of the provider that is registered now. */
  get histograms(): GenAiMetrics {
    if (this.#ownHistograms) return this.#ownHistograms;
    // The API returns meters without effect until a provider is registered.
    const provider = metrics.getMeterProvider();
    if (!this.#globalHistograms || provider !== this.#provider) {
      this.#provider = provider;
      this.#globalHistograms = createGenAiMetrics(provider.getMeter(this.#name));
    }
    return this.#globalHistograms;
  }
}
