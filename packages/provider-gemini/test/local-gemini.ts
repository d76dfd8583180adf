import type { LlmRequest, LlmResponse } from '@thole/core';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { Answering, ReceivedRequest, ServerAnswer } from '@thole/testing/http';
import { Gemini } from '../src/index.ts';
import type { GeminiOptions } from '../src/index.ts';

/** The result of one call to a local server. */
export interface CallResult {
  readonly responses: LlmResponse[];
  readonly error?: unknown;
  readonly requests: readonly ReceivedRequest[];
}

/** Returns a request with one question. */
export const question = (more: Partial<LlmRequest> = {}): LlmRequest => ({
  contents: [{ role: 'user', parts: [{ text: 'Is there a room?' }] }],
  config: {},
  ...more,
});

/** Calls `body` with a local server, and closes the server afterwards. */
export async function withServer<T>(answer: Answering, body: (server: ProtocolServer) => Promise<T>): Promise<T> {
  const server = await ProtocolServer.start(answer);
  try {
    return await body(server);
  } finally {
    await server.close();
  }
}

/** Calls a model whose server sends these answers, one after the other. The last answer is repeated. */
export function ask(
  answers: ServerAnswer | readonly ServerAnswer[],
  p: { request?: LlmRequest; stream?: boolean; options?: Partial<GeminiOptions> } = {},
): Promise<CallResult> {
  const list = Array.isArray(answers) ? (answers as readonly ServerAnswer[]) : [answers as ServerAnswer];
  let next = 0;
  return withServer(
    () => list[Math.min(next++, list.length - 1)]!,
    async (server) => {
      const llm = new Gemini({
        model: 'gemini-2.5-flash',
        apiKey: 'a-local-key',
        baseUrl: server.url,
        retry: false,
        ...p.options,
      });
      const result = await collect(llm, p.request ?? question(), p.stream ?? false);
      return { ...result, requests: server.requests };
    },
  );
}

/** Returns the responses of a model, and its error. */
export async function collect(
  llm: Gemini,
  request: LlmRequest,
  stream: boolean,
): Promise<Omit<CallResult, 'requests'>> {
  const responses: LlmResponse[] = [];
  try {
    const { signal } = new AbortController();
    for await (const response of llm.generateContentAsync(request, { stream, signal })) responses.push(response);
    return { responses };
  } catch (error) {
    return { responses, error };
  }
}

/** Returns an answer that is streamed in these chunks. */
export function streamed(pieces: readonly unknown[], newline: '\n' | '\r\n' = '\r\n'): ServerAnswer {
  const body = serverSentEvents(
    pieces.map((piece) => JSON.stringify(piece)),
    newline,
  );
  return { headers: { 'content-type': 'text/event-stream' }, body };
}

/** Returns an answer that is not streamed. */
export function whole(body: unknown, status = 200): ServerAnswer {
  return { status, body: JSON.stringify(body) };
}
