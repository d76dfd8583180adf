import type { Llm, LlmOptions, LlmRequest, LlmResponse, ModelFactory } from '@thole/core';

/** What a model is to answer: a final, a list (partials, then the final), or an error to throw. */
export type PlainAnswer = LlmResponse | readonly LlmResponse[] | Error;
/** An answer, or a function that makes one from the request. */
export type ScriptedAnswer =
  | PlainAnswer
  | ((request: LlmRequest, options: LlmOptions) => PlainAnswer | Promise<PlainAnswer>);

/**
 * A model that answers from a script, one answer a call, and keeps a copy of every request. It keeps to the promises of
 * `Llm`: without `stream` the partials are left out, and an aborted signal ends the call. A call beyond the script throws.
 */
export class ScriptedLlm implements Llm {
  readonly specVersion = 1;
  readonly model: string = 'scripted';
  /** What was asked, in order: deep copies. */
  readonly requests: LlmRequest[] = [];
  readonly #answers: readonly ScriptedAnswer[];

  constructor(...answers: ScriptedAnswer[]) {
    this.#answers = answers;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse, void, undefined> {
    const index = this.requests.push(structuredClone(request)) - 1;
    const answer = this.#answers[index];
    if (!answer)
      throw new Error(`The model was called ${index + 1} times, but its script has ${this.#answers.length} answers.`);
    options.signal.throwIfAborted();
    const plain = typeof answer === 'function' ? await answer(request, options) : answer;
    if (plain instanceof Error) throw plain;
    for (const response of isList(plain) ? plain : [plain]) {
      if (response.partial && !options.stream) continue;
      options.signal.throwIfAborted();
      // A copy: one script may serve many tests, and who reads an answer may change it.
      yield structuredClone(response);
    }
  }

  /** Throws when answers are left that nobody asked for. */
  assertDone(): void {
    const left = this.#answers.length - this.requests.length;
    if (left > 0) throw new Error(`The model's script has ${left} more answers than there were calls.`);
  }
}

/** A factory that knows one name and always gives this model. */
export function modelNamed(name: string, llm: Llm): ModelFactory {
  return { patterns: [name], supports: (asked) => asked === name, create: () => llm };
}

function isList(answer: LlmResponse | readonly LlmResponse[]): answer is readonly LlmResponse[] {
  return Array.isArray(answer);
}
