import { systemRuntime, TholeError } from '@thole/core';
import { assertCount, errorFields, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse, Logger, MaybePromise, Runtime } from '@thole/core';

/** Options of `FallbackLlm`. */
export interface FallbackLlmOptions {
  /** The models, in the order in which they are called. */
  models: readonly Llm[];
  /** Name of this model. Default: the models' names, joined by commas. */
  name?: string | undefined;
  /** Returns the models for this request, in order, instead of `models`. Undefined: all of `models`. */
  route?: ((request: LlmRequest) => MaybePromise<readonly Llm[] | undefined>) | undefined;
  /**
   * Returns true to call the next model after this error. Not called after a response. Default: true for
   * `MODEL_RATE_LIMITED`, `MODEL_OVERLOADED`, `MODEL_UNAVAILABLE`, `MODEL_TIMEOUT` and `MODEL_INCOMPLETE`.
   */
  shouldFallBack?: ((error: unknown, model: Llm) => boolean) | undefined;
  /** Time for which a failed model is called after all others, in milliseconds. Default: 0. */
  cooldownMs?: number | undefined;
  /** Clock of the cooldown, and logger of fallbacks. Default: the clock of `systemRuntime()`, and the logger of the run. */
  runtime?: Runtime | undefined;
}

const knownOptions = optionNames<FallbackLlmOptions>({
  models: true,
  name: true,
  route: true,
  shouldFallBack: true,
  cooldownMs: true,
  runtime: true,
});

const fallbackCodes: readonly unknown[] = [
  'MODEL_RATE_LIMITED',
  'MODEL_OVERLOADED',
  'MODEL_UNAVAILABLE',
  'MODEL_TIMEOUT',
  'MODEL_INCOMPLETE',
];

/**
 * Calls one model after another until one answers. An error after the first response of a model, even a partial one, is
 * thrown, and so is an abort. If all fail, throws the last error, with the earlier errors in `details.earlier`. The final
 * response names the model in `customMetadata.answeredBy`, and in `modelVersion` unless the model sets it.
 */
export class FallbackLlm implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #models: readonly Llm[];
  readonly #route: FallbackLlmOptions['route'];
  readonly #shouldFallBack: (error: unknown, model: Llm) => boolean;
  readonly #cooldownMs: number;
  readonly #runtime: Runtime;
  /** Logger of the option `runtime`. */
  readonly #logger: Logger | undefined;
  /** The end of each model's cooldown, by the runtime's monotonic clock. */
  readonly #cooldownEnds = new Map<Llm, number>();

  /** Throws `INVALID_INPUT` for invalid options. */
  constructor(options: FallbackLlmOptions) {
    assertOptions(options);
    const { models, route, shouldFallBack = isFallbackError, cooldownMs = 0, runtime = systemRuntime() } = options;
    this.model = options.name ?? models.map(({ model }) => model).join(', ');
    this.#models = [...models];
    this.#route = route;
    this.#shouldFallBack = shouldFallBack;
    this.#cooldownMs = cooldownMs;
    this.#runtime = runtime;
    this.#logger = options.runtime?.logger;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse, void, undefined> {
    const earlier: { model: string; code: string }[] = [];
    const remaining = await this.#orderModels(request);
    for (let llm = remaining.shift(); llm; llm = remaining.shift()) {
      const { model } = llm;
      let hasAnswered = false;
      try {
        // The request names the model that receives it.
        for await (const response of llm.generateContentAsync({ ...request, model }, options)) {
          hasAnswered = true;
          yield response.partial ? response : answeredBy(model, response);
        }
        return;
      } catch (error) {
        if (options.signal.aborted || hasAnswered || !this.#shouldCallNext(llm, error) || remaining.length === 0)
          throw earlier.length === 0 ? error : withEarlier(error, model, earlier);
        const code = codeOf(error);
        earlier.push({ model, code });
        const fields = { model, ...errorFields(error), code };
        try {
          (this.#logger ?? options.logger)?.warn('A model failed. The next model is called.', fields);
        } catch {
          // A failing logger must not prevent the next call.
        }
      }
    }
  }

  async #orderModels(request: LlmRequest): Promise<Llm[]> {
    const chosen = (await this.#route?.(request)) ?? this.#models;
    assertModels('The result of route', chosen);
    const now = this.#runtime.monotonic();
    const isCoolingDown = (llm: Llm): boolean => (this.#cooldownEnds.get(llm) ?? now) > now;
    return [...chosen.filter((llm) => !isCoolingDown(llm)), ...chosen.filter(isCoolingDown)];
  }

  #shouldCallNext(llm: Llm, error: unknown): boolean {
    if (!this.#shouldFallBack(error, llm)) return false;
    if (this.#cooldownMs > 0) this.#cooldownEnds.set(llm, this.#runtime.monotonic() + this.#cooldownMs);
    return true;
  }
}

function assertOptions(options: FallbackLlmOptions): void {
  rejectUnknownOptions(options, knownOptions, 'FallbackLlm');
  const { models, name, route, shouldFallBack, cooldownMs } = options;
  assertModels('models of FallbackLlm', models);
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw new TholeError('INVALID_INPUT', 'name of FallbackLlm must be a string that is not empty.');
  for (const [option, value] of Object.entries({ route, shouldFallBack })) {
    if (value !== undefined && typeof value !== 'function')
      throw invalidInput(`${option} of FallbackLlm`, 'a function', value);
  }
  if (cooldownMs !== undefined) assertCount('cooldownMs of FallbackLlm', cooldownMs);
}

function assertModels(argument: string, models: unknown): asserts models is readonly Llm[] {
  if (!Array.isArray(models)) throw invalidInput(argument, 'a list of models', models);
  if (models.length === 0) throw new TholeError('INVALID_INPUT', `${argument} must name at least one model.`);
  for (const [index, each] of (models as readonly (Partial<Llm> | null)[]).entries()) {
    if (typeof each?.generateContentAsync !== 'function')
      throw invalidInput(`${argument}: [${index}]`, 'a model (an object of type Llm)', each);
  }
}

function isFallbackError(error: unknown): boolean {
  return TholeError.is(error) && fallbackCodes.includes(error.code);
}

/** Adds the name of the model. If it is a `FallbackLlm`, it has already added the name of the model that answered. */
function answeredBy(model: string, response: LlmResponse): LlmResponse {
  return {
    ...response,
    modelVersion: response.modelVersion ?? model,
    customMetadata: { answeredBy: model, ...response.customMetadata },
  };
}

function withEarlier(error: unknown, model: string, earlier: JsonObject[]): TholeError {
  if (!TholeError.is(error))
    return new TholeError('MODEL_FAILED', `Model ${model} failed.`, { cause: error, details: { earlier } });
  const { code, message, retryable, retryAfterMs, status, details } = error;
  // A `FallbackLlm` among the models has earlier errors, too.
  const inner = Array.isArray(details?.['earlier']) ? details['earlier'] : [];
  return new TholeError(code, message, {
    retryable,
    retryAfterMs,
    status,
    details: { ...details, earlier: [...earlier, ...inner] },
    cause: error,
  });
}

function codeOf(error: unknown): string {
  return TholeError.is(error) ? error.code : 'MODEL_FAILED';
}
