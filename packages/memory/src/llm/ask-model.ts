import { textOf, TholeError } from '@thole/core';
import { raceAbort } from '@thole/core/kit';
import type { JsonObject, Llm, LlmResponse, Runtime } from '@thole/core';

/** What a model is asked, and the shape that its answer is to have. */
export interface ModelQuestion {
  system: string;
  text: string;
  schema: JsonObject;
}

/** How it is asked. */
export interface AskModelOptions {
  llm: Llm;
  runtime: Runtime;
  /** The longest that all attempts together may take. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** An answer that is no JSON is asked for once more. */
const ATTEMPTS = 2;

/**
 * Returns the model's answer as JSON, unchecked. Throws the model's own coded error, `MODEL_FAILED` around any other, the signal's
 * reason, `MODEL_TIMEOUT`, the response's own `errorCode`, or `OUTPUT_INVALID` for what is no JSON the second time either.
 */
export async function askModel(question: ModelQuestion, asking: AskModelOptions): Promise<unknown> {
  const { runtime, timeoutMs, signal } = asking;
  const over = new AbortController();
  const late = new TholeError('MODEL_TIMEOUT', `The model did not answer within ${timeoutMs} ms.`);
  const cancel = runtime.timer(timeoutMs, () => over.abort(late));
  const both = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  try {
    return await raceAbort(ask(question, asking.llm, both), both);
  } finally {
    cancel();
  }
}

async function ask(question: ModelQuestion, llm: Llm, signal: AbortSignal): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const answer = parse(textOf((await finalOf(question, llm, signal)).content));
    if (answer !== undefined) return answer;
    if (attempt === ATTEMPTS)
      throw new TholeError('OUTPUT_INVALID', `Model ${llm.model} answered with what is no JSON, ${ATTEMPTS} times.`);
  }
}

async function finalOf({ system, text, schema }: ModelQuestion, llm: Llm, signal: AbortSignal): Promise<LlmResponse> {
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
  if (!final) throw new TholeError('MODEL_INCOMPLETE', `Model ${llm.model} gave no answer.`);
  if (final.errorCode !== undefined)
    throw new TholeError(final.errorCode, `Model ${llm.model} answered with ${final.errorCode}.`);
  return final;
}

/** Models that know no schemas like to wrap JSON in a fence. */
function parse(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text);
  try {
    return JSON.parse(fenced?.[1] ?? text) as unknown;
  } catch {
    return undefined;
  }
}
