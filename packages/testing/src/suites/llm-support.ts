import assert from 'node:assert/strict';
import { TholeError } from '@thole/core';
import type { Llm, LlmRequest, LlmResponse } from '@thole/core';
import type { LlmScenario } from './llm-scenarios.ts';

/** The subject of the `llm` cases: a model whose server plays a scenario at each call. */
export interface LlmSubject {
  /** Returns a model whose server plays the scenario. */
  llm(scenario: LlmScenario): Llm | Promise<Llm>;
  /**
   * Returns all requests that the server has received, oldest first: HTTP requests with path and body (the `requests` of a
   * `ProtocolServer`), or the arguments of calls of a library. Cases search them for texts and numbers at any place; `headers` are
   * ignored.
   */
  received(): readonly unknown[];
  /** A MIME type that the model cannot read, for the claim `refuses-media`. Default: `font/woff2`. */
  readonly unreadableType?: string | undefined;
  /** Resolves when the server has no open call. Claim: `connections`. */
  allEnded?(): Promise<void>;
}

/** Options of a model call. The default signal is never aborted. */
export interface ModelCallOptions {
  stream: boolean;
  signal?: AbortSignal | undefined;
}

/** Returns a new request with an instruction, a message and a tool. */
export const request = (): LlmRequest => ({
  contents: [{ role: 'user', parts: [{ text: 'Is there a room?' }] }],
  config: {
    systemInstruction: 'Be kind.',
    tools: [
      {
        functionDeclarations: [
          {
            name: 'find_rooms',
            description: 'Finds rooms.',
            parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      },
    ],
  },
});

/** Returns a model's responses, and the error it throws after them. */
export async function attempt(
  llm: Llm,
  { stream, signal = new AbortController().signal }: ModelCallOptions,
  llmRequest: LlmRequest = request(),
): Promise<{ responses: LlmResponse[]; error?: unknown }> {
  const responses: LlmResponse[] = [];
  try {
    for await (const response of llm.generateContentAsync(llmRequest, { stream, signal })) responses.push(response);
    return { responses };
  } catch (error) {
    return { responses, error };
  }
}

/** Returns a model's responses. Throws the model's error. */
export async function collect(
  llm: Llm,
  options: ModelCallOptions,
  llmRequest: LlmRequest = request(),
): Promise<LlmResponse[]> {
  const { responses, ...thrown } = await attempt(llm, options, llmRequest);
  if ('error' in thrown) throw thrown.error;
  return responses;
}

/** Calls the model with streaming. Returns the partial responses and the final response. */
export async function collectStream(
  subject: LlmSubject,
  scenario: LlmScenario,
): Promise<{ partials: LlmResponse[]; final: LlmResponse }> {
  return split(await collect(await subject.llm(scenario), { stream: true }));
}

/** Returns the partial responses and the final response. Asserts that there is one final response, at the end. */
export function split(responses: readonly LlmResponse[]): { partials: LlmResponse[]; final: LlmResponse } {
  const partials = responses.filter((response) => response.partial);
  const finals = responses.filter((response) => !response.partial);
  assert.equal(finals.length, 1, 'there must be exactly one final response');
  assert.equal(responses.at(-1), finals[0], 'the final response must be the last');
  return { partials, final: finals[0]! };
}

/** Asserts that the error is a `TholeError` with this code. */
export function assertCode(error: unknown, code: string): asserts error is TholeError {
  assert.ok(TholeError.is(error), `the error must be a TholeError with code ${code}`);
  // Without the message, a reader of the report would not know which error it was.
  assert.equal(error.code, code, `expected ${code}, got ${error.code}: ${error.message}`);
}

/** Returns the whole text of these pieces. */
export const whole = (pieces: readonly string[] = []): string => pieces.join('');

/** Returns the text of these responses without thoughts. */
export const textIn = (responses: readonly LlmResponse[]): string =>
  partsOf(responses)
    .map((part) => (part.thought ? '' : (part.text ?? '')))
    .join('');

/** Returns the thoughts of these responses. */
export const thoughtsIn = (responses: readonly LlmResponse[]): string =>
  partsOf(responses)
    .map((part) => (part.thought ? (part.text ?? '') : ''))
    .join('');

const partsOf = (responses: readonly LlmResponse[]) => responses.flatMap((response) => response.content?.parts ?? []);
