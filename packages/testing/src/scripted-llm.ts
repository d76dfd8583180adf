import { invalidInput, thawJson } from '@thole/core/kit';
import type { JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse, ModelFactory } from '@thole/core';

/** An answer of a model: a final response, a list (partial responses, then the final one), or an error to throw. */
export type PlainAnswer = LlmResponse | readonly LlmResponse[] | Error;
/** An answer, or a function that returns one for the request. */
export type ScriptedAnswer =
  | PlainAnswer
  | ((request: LlmRequest, options: LlmOptions) => PlainAnswer | Promise<PlainAnswer>);

/**
 * A model that answers from a script, one answer per call, and stores a copy of every request. It follows the contract
 * of `Llm`: without `stream` it omits partial responses, and an aborted signal ends the call. A call after the end of
 * the script throws.
 */
export class ScriptedLlm implements Llm {
  readonly specVersion = 1;
  readonly model: string = 'scripted';
  /** All requests, in order, as deep copies. */
  readonly requests: LlmRequest[] = [];
  readonly #answers: readonly ScriptedAnswer[];

  constructor(...answers: ScriptedAnswer[]) {
    this.#answers = answers;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse, void, undefined> {
    // In Jest, `structuredClone` returns objects of another realm, which strict comparisons reject.
    const copy = thawJson(request as unknown as JsonObject) as unknown as LlmRequest;
    const index = this.requests.push(copy) - 1;
    if (index >= this.#answers.length)
      throw new Error(`The model was called ${index + 1} times, but its script has ${this.#answers.length} answers.`);
    options.signal.throwIfAborted();
    const answer = this.#answers[index];
    const plain = typeof answer === 'function' ? await answer(request, options) : answer;
    if (typeof plain !== 'object' || plain === null)
      throw invalidInput(`Answer ${index + 1} of the script`, 'a response, a list of responses or an Error', plain);
    if (plain instanceof Error) throw plain;
    for (const response of isList(plain) ? plain : [plain]) {
      if (response.partial && !options.stream) continue;
      options.signal.throwIfAborted();
      // A copy: many tests may share a script, and readers may change an answer.
      yield structuredClone(response);
    }
  }

  /** Throws if the script has unused answers. */
  assertDone(): void {
    const unused = this.#answers.length - this.requests.length;
    if (unused > 0) throw new Error(`The model's script has ${unused} more answers than there were calls.`);
  }
}

/** Returns a factory that supports only `name` and always creates `llm`. */
export function modelNamed(name: string, llm: Llm): ModelFactory {
  return { patterns: [name], supports: (model) => model === name, create: () => llm };
}

function isList(answer: LlmResponse | readonly LlmResponse[]): answer is readonly LlmResponse[] {
  return Array.isArray(answer);
}
