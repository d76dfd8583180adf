import { TholeError } from '@thole/core';
import type { FunctionCall, JsonObject, LlmResponse, Part, TholeErrorCode } from '@thole/core';
import type { ScriptedAnswer } from './scripted-llm.ts';
import type { LlmScenario } from './suites/llm-scenarios.ts';

/** Returns a final response with one text. */
export function says(text: string): LlmResponse {
  return final([{ text }]);
}

/** Returns a final response with one call. The flow adds an id if none is given. */
export function calls(name: string, args: JsonObject = {}, id?: string): LlmResponse {
  return callsAll([name, args, id]);
}

/** Returns a final response with several calls. */
export function callsAll(
  ...each: (readonly [name: string, args?: JsonObject | undefined, id?: string | undefined])[]
): LlmResponse {
  return final(each.map(([name, args = {}, id]) => ({ functionCall: callOf(name, args, id) })));
}

/** Returns a final response with one thought, and a text after it if one is given. */
export function thinks(thought: string, text?: string): LlmResponse {
  return final([{ text: thought, thought: true }, ...(text === undefined ? [] : [{ text }])]);
}

/** Returns each piece as a partial response, then the final response with the whole text. */
export function streams(...pieces: string[]): LlmResponse[] {
  return [
    ...pieces.map((text) => ({ content: { role: 'model' as const, parts: [{ text }] }, partial: true })),
    says(pieces.join('')),
  ];
}

/** Returns the error to throw: a `TholeError` with this code, or the given error. */
export function fails(error: TholeErrorCode | Error): Error {
  return typeof error === 'string' ? new TholeError(error, `The script makes the model fail with ${error}.`) : error;
}

/**
 * Returns the answer that a scenario of the `llm` suite describes, for a `ScriptedLlm` behind your own model. A
 * script cannot stop within an answer: a scenario that ends with `cut` throws before the first response, and one that
 * ends with `silence` never responds.
 */
export function plays(scenario: LlmScenario): ScriptedAnswer {
  const { thoughts = [], pieces = [], calls: functionCalls = [], encryptedReasoning, usage, ending, error } = scenario;
  if (ending === 'silence') return hangs();
  if (ending === 'cut') return fails('MODEL_INCOMPLETE');
  if (error)
    return new TholeError(error.code, 'The provider refused the request.', { retryAfterMs: error.retryAfterMs });
  if (ending === 'blocked') return { finishReason: 'SAFETY', errorCode: 'MODEL_BLOCKED' };
  const streamed = [...thoughts.map((text) => ({ text, thought: true })), ...pieces.map((text) => ({ text }))];
  const parts: Part[] = [
    ...(thoughts.length > 0 ? [{ text: thoughts.join(''), thought: true }] : []),
    ...(pieces.length > 0 ? [{ text: pieces.join('') }] : []),
    ...functionCalls.map(({ id, name, args }, i) => ({
      functionCall: callOf(name, args, id),
      ...(i === 0 && encryptedReasoning !== undefined && { thoughtSignature: encryptedReasoning }),
    })),
  ];
  return [
    ...streamed.map((part): LlmResponse => ({ partial: true, content: { role: 'model', parts: [part] } })),
    {
      ...final(parts),
      ...(ending === 'max-tokens' && { finishReason: 'MAX_TOKENS' }),
      ...(usage && { usageMetadata: { ...usage } }),
    },
  ];
}

/** Returns an answer that never responds. It rejects with the signal's reason when the signal is aborted. */
export function hangs(): ScriptedAnswer {
  return (_request, { signal }) =>
    new Promise((_resolve, reject) => {
      const abort = (): void => reject(signal.reason as Error);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
    });
}

/** Returns an answer that never responds and ignores its signal: a model that violates its contract. */
export function ignores(): ScriptedAnswer {
  return () => new Promise(() => {});
}

function final(parts: Part[]): LlmResponse {
  return { content: { role: 'model', parts }, finishReason: 'STOP' };
}

function callOf(name: string, args: JsonObject, id: string | undefined): FunctionCall {
  return { ...(id !== undefined && { id }), name, args };
}
