import { request } from 'node:http';
import { InMemorySessionService } from '@thole/mem-services';
import { OpenAi } from '@thole/provider-openai';
import { LlmAgent } from '@thole/runner';
import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { ProtocolServer, serverSentEvents } from '@thole/testing/http';
import type { ServerAnswer } from '@thole/testing/http';
import { expect, it, onTestFinished } from 'vitest';

const said = { choices: [{ index: 0, delta: { role: 'assistant', content: 'Good ' }, finish_reason: null }] };
const events = { 'content-type': 'text/event-stream' };
const silent: ServerAnswer = { ending: 'silence' };
const half: ServerAnswer = { headers: events, body: serverSentEvents([{ data: said }]), ending: 'silence' };

it.each([
  ['/run_sse', 'before', silent],
  ['/run_sse', 'during', half],
  ['/run', 'before', silent],
])('closes the model’s socket if the client of %s leaves %s the answer (contract 40)', async (path, _, answer) => {
  const { model, clientRequest } = await startRequest(path, 'abort', answer);
  clientRequest.destroy();
  await model.allEnded(10_000);
});

it('keeps the model’s socket open with onDisconnect continue until the server closes (contract 40)', async () => {
  const { model, clientRequest, close } = await startRequest('/run_sse', 'continue', half);
  clientRequest.destroy();
  await expect(model.allEnded(300)).rejects.toThrow('1 answers were still open');
  await close();
  await model.allEnded(10_000);
});

/** Sends a client's request to a server. Returns when the model has received it, and has begun its answer if it has one. */
async function startRequest(
  path: string,
  onDisconnect: 'abort' | 'continue',
  answer: ServerAnswer,
): Promise<{ model: ProtocolServer; clientRequest: { destroy(): void }; close(): Promise<void> }> {
  const model = await ProtocolServer.start(() => answer);
  const llm = new OpenAi({ model: 'm', baseUrl: `${model.url}/v1`, retry: false });
  const sessionService = new InMemorySessionService();
  const ref = { appName: 'demo', userId: 'ann', sessionId: 's' };
  await sessionService.createSession(ref);
  const rootAgent = new LlmAgent({ name: 'a', model: llm });
  const server = await serve(createHandler({ apps: [{ name: 'demo', rootAgent }], sessionService, onDisconnect }), {
    port: 0,
  });
  const close = (): Promise<void> => server.close({ timeoutMs: 0 });
  onTestFinished(async () => {
    await close();
    await model.close();
  });
  const headers = { 'content-type': 'application/json' };
  const clientRequest = request(`${server.url}${path}`, { method: 'POST', headers });
  // `destroy` causes an error.
  clientRequest.on('error', () => {});
  const firstData = new Promise<void>((resolve) =>
    clientRequest.on('response', (response) => {
      response.on('error', () => {});
      response.once('data', () => resolve());
    }),
  );
  clientRequest.end(JSON.stringify({ ...ref, newMessage: { parts: [{ text: 'Hello' }] }, streaming: true }));
  await expect.poll(() => model.open).toBe(1);
  if (answer.body) await firstData;
  return { model, clientRequest, close };
}
