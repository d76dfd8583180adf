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
  ['/run_sse', 'before it has said anything', silent],
  ['/run_sse', 'in the middle of what it says', half],
  ['/run', 'before it has said anything', silent],
])('closes the model’s socket when the client of %s goes, %s (contract 40)', async (path, _, answer) => {
  const { model, begun } = await begin(path, 'abort', answer);
  begun.destroy();
  await model.allEnded(1_000);
});

it('leaves the model’s socket open where runs outlive their clients, until the server closes (contract 40)', async () => {
  const { model, begun, close } = await begin('/run_sse', 'continue', half);
  begun.destroy();
  await expect(model.allEnded(300)).rejects.toThrow('1 answers were still open');
  await close();
  await model.allEnded(1_000);
});

/** A client's request over a server to a model that has begun to answer, or says nothing. */
async function begin(
  path: string,
  onDisconnect: 'abort' | 'continue',
  answer: ServerAnswer,
): Promise<{ model: ProtocolServer; begun: { destroy(): void }; close(): Promise<void> }> {
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
  const outgoing = request(`${server.url}${path}`, { method: 'POST', headers });
  // A connection that is cut says so.
  outgoing.on('error', () => {});
  const heard = new Promise<void>((resolve) =>
    outgoing.on('response', (response) => {
      response.on('error', () => {});
      response.once('data', () => resolve());
    }),
  );
  outgoing.end(JSON.stringify({ ...ref, newMessage: { parts: [{ text: 'Hello' }] }, streaming: true }));
  await expect.poll(() => model.open).toBe(1);
  if (answer.body) await heard;
  return { model, begun: outgoing, close };
}
