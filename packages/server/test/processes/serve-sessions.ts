// serve-sessions.ts <url> <options>: a server in a process of its own, whose runs outlive their clients. Its agent looks first, and
// then says the next `{answer}` that it hears. Tells where it listens, and each time it waits for an answer.
import type { Llm, LlmOptions, LlmRequest, LlmResponse, SessionService } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { FunctionTool } from '@thole/tools';
import { Channel } from '../../../../test/durability/children/channel.ts';
import { openSessions } from '../../../../test/durability/open-sessions.ts';
import { createHandler } from '../../src/index.ts';
import { serve } from '../../src/node.ts';

export type Heard = { answer: string };
export type Told = { url: string } | { asked: true };

const [url = '', options = ''] = process.argv.slice(2);
/** Shorter than a runner's own, so that it runs out within a test. */
const { ttlMs } = JSON.parse(options) as { ttlMs?: number | undefined };
const channel = new Channel<Heard>();
const answers: string[] = [];
let wake = (): void => {};

const model: Llm = {
  model: 'told',
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
const runner = new Runner({ appName: 'demo', agent, sessionService: shortLived(service) });
const server = await serve(createHandler({ apps: [runner], onDisconnect: 'continue' }), { port: 0 });
channel.tell({ url: server.url });
for (;;) {
  const { answer } = await channel.hear();
  answers.push(answer);
  wake();
}

async function nextAnswer(signal: AbortSignal): Promise<string> {
  channel.tell({ asked: true });
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  while (answers.length === 0) await Promise.race([new Promise<void>((resolve) => (wake = resolve)), aborted]);
  return answers.shift()!;
}

function shortLived(sessions: SessionService): SessionService {
  const { leasing } = sessions;
  if (!leasing || ttlMs === undefined) return sessions;
  const shorter = {
    lease: (...[key, request]: Parameters<typeof leasing.lease>) => leasing.lease(key, { ...request, ttlMs }),
    current: leasing.current.bind(leasing),
    leases: leasing.leases.bind(leasing),
    requestStop: leasing.requestStop.bind(leasing),
  };
  return Object.defineProperty(sessions, 'leasing', { value: shorter });
}
