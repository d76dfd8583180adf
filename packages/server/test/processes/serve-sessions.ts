// serve-sessions.ts <url>: a server in a separate process. Its runs continue without their clients. Its agent calls
// `look`, then answers with the next `{answer}` that it receives. `{ttlMs}` shortens leases. Reports its URL, each
// `ttlMs`, and each time that it waits for an answer.
import type { Llm, LlmOptions, LlmRequest, LlmResponse, SessionService } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { FunctionTool } from '@thole/tools';
import { Channel } from '../../../../test/durability/children/channel.ts';
import { openSessions } from '../../../../test/durability/open-sessions.ts';

export type ChildInput = { answer: string } | { ttlMs: number };
export type ChildOutput = { url: string } | { isWaiting: true } | { ttlMs: number };

const [url = ''] = process.argv.slice(2);
/** Shorter than the default of the runner, so that leases expire during a test. */
let ttlMs: number | undefined;
const channel = new Channel<ChildInput>();
const answers: string[] = [];
let wake = (): void => {};

const model: Llm = {
  model: 'channel',
  specVersion: 1,
  async *generateContentAsync({ contents }: LlmRequest, { signal }: LlmOptions): AsyncGenerator<LlmResponse> {
    const isAnswered = contents.at(-1)?.parts?.[0]?.functionResponse !== undefined;
    const part = isAnswered ? { text: await nextAnswer(signal) } : { functionCall: { name: 'look', args: {} } };
    yield { content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
  },
};
const look = new FunctionTool({ name: 'look', description: 'Looks.', parameters: {}, execute: () => ({ found: 1 }) });
const { service } = await openSessions(url);
const agent = new LlmAgent({ name: 'porter', model, tools: [look] });
const runner = new Runner({ appName: 'demo', agent, sessionService: withShortLeases(service) });
const server = await serve(createHandler({ apps: [runner], onDisconnect: 'continue' }), { port: 0 });
channel.tell({ url: server.url });
for (;;) {
  const input = await channel.hear();
  if ('ttlMs' in input) {
    ({ ttlMs } = input);
    channel.tell({ ttlMs });
    continue;
  }
  answers.push(input.answer);
  wake();
}

async function nextAnswer(signal: AbortSignal): Promise<string> {
  channel.tell({ isWaiting: true });
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  while (answers.length === 0) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), aborted]);
  return answers.shift()!;
}

function withShortLeases(sessions: SessionService): SessionService {
  const { leasing } = sessions;
  if (!leasing) return sessions;
  const shortLeasing = {
    lease: (...[key, request]: Parameters<typeof leasing.lease>) =>
      leasing.lease(key, { ...request, ttlMs: ttlMs ?? request.ttlMs }),
    current: leasing.current.bind(leasing),
    leases: leasing.leases.bind(leasing),
    requestStop: leasing.requestStop.bind(leasing),
  };
  return Object.defineProperty(sessions, 'leasing', { value: shortLeasing });
}
