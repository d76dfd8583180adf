import { textOf, TholeError } from '@thole/core';
import { parseJson, withTimeLimit } from '@thole/core/kit';
import type { JsonObject, Llm, LlmResponse, Runtime } from '@thole/core';

/** Input of a model, and the JSON schema of its answer. */
export interface ModelInput {
  system: string;
  text: string;
  schema: JsonObject;
}

/** Options of `callModel`. */
export interface CallModelOptions {
  llm: Llm;
  runtime: Runtime;
  /** Time limit of all attempts together in milliseconds. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** The model is called again if its answer is not JSON. */
const MAX_ATTEMPTS = 2;

/**
 * Returns the model's answer as JSON that is not validated. Throws the model's `TholeError`, or `MODEL_FAILED` with any other error as
 * cause. Throws the response's `errorCode`, `MODEL_TIMEOUT`, `MODEL_INCOMPLETE` if there is no response, and `OUTPUT_INVALID` if no
 * answer is JSON. Rejects with the signal's reason when it is aborted.
 */
export function callModel(input: ModelInput, options: CallModelOptions): Promise<unknown> {
  const { runtime, timeoutMs, signal } = options;
  const timeoutError = (): TholeError =>
    new TholeError('MODEL_TIMEOUT', `The model did not answer within ${timeoutMs} ms.`);
  return withTimeLimit({ runtime, ms: timeoutMs, timeoutError, signal }, (limitedSignal) =>
    requestJson(input, options.llm, limitedSignal),
  );
}

async function requestJson(input: ModelInput, llm: Llm, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const answer = parseAnswer(textOf((await readFinalResponse(input, llm, signal)).content));
    if (answer !== undefined) return answer;
    if (attempt === MAX_ATTEMPTS)
      throw new TholeError('OUTPUT_INVALID', `Model ${llm.model} returned no JSON in ${MAX_ATTEMPTS} attempts.`);
  }
}

async function readFinalResponse(
  { system, text, schema }: ModelInput,
  llm: Llm,
  signal: AbortSignal,
): Promise<LlmResponse> {
  const request = {
    contents: [{ role: 'user' as const, parts: [{ text }] }],
    config: { systemInstruction: system, responseJsonSchema: schema, responseMimeType: 'application/json' },
  };
  let final: LlmResponse | undefined;
  try {
    for await (const response of llm.generateContentAsync(request, { stream: false, signal })) {
      if (!response.partial) final = response;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw TholeError.is(cause) ? cause : new TholeError('MODEL_FAILED', `Model ${llm.model} failed.`, { cause });
  }
  if (!final) throw new TholeError('MODEL_INCOMPLETE', `Model ${llm.model} returned no response.`);
  if (final.errorCode !== undefined)
    throw new TholeError(final.errorCode, `Model ${llm.model} returned the error ${final.errorCode}.`);
  return final;
}

/** Returns the JSON in a text, also from inside a code fence, which models without schema support often add. Undefined if it is not JSON. */
function parseAnswer(text: string): unknown {
  // The pattern takes linear time, also for many blank lines.
  const fenced = /^```(?:json)?[^\S\n]*\n([^]*)```$/.exec(text.trim());
  return parseJson(fenced?.[1] ?? text);
}
