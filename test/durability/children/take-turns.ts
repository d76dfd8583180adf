// take-turns.ts <url>: a runner in a separate process. `{open}` sets its session, `{run}` sends a message. The model reports its request
// and answers with the next `{answer}`. The process reports how each run ended.
import { textOf, TholeError } from '@thole/core';
import type { LeasePolicy, Llm, LlmOptions, LlmRequest, LlmResponse, SessionRef, SessionService } from '@thole/core';
import { LlmAgent, Runner } from '@thole/runner';
import { openSessions } from '../open-sessions.ts';
import { Channel } from './channel.ts';

export interface Options {
  ref: SessionRef;
  policy: LeasePolicy;
  /** Lifetime of leases. A short one expires within a test; a run renews its lease only after 10 s. Default: that of the runner. */
  ttlMs?: number | undefined;
}

export type Command = { open: Options } | { run: string } | { answer: string };
export type Told = { ready: true } | { asked: string[]; mood: string } | { done: string } | { failed: string };

const [url = ''] = process.argv.slice(2);
const channel = new Channel<Command>();
const answers: string[] = [];
let wake = (): void => {};

const model: Llm = {
  model: 'controlled',
  specVersion: 1,
  async *generateContentAsync(request: LlmRequest, { signal }: LlmOptions): AsyncGenerator<LlmResponse> {
    const mood = /mood: (\w*)/.exec(request.config.systemInstruction ?? '')?.[1] ?? '';
    channel.tell({ asked: request.contents.map(textOf), mood });
    yield { content: { role: 'model', parts: [{ text: await nextAnswer(signal) }] }, finishReason: 'STOP' };
  },
};
const { service } = await openSessions(url);
const agent = new LlmAgent({ name: 'talker', model, instruction: 'mood: {user:mood?}' });
let ttlMs: number | undefined;
const sessionService = withShortLeases(service);
let open: { ref: SessionRef; runner: Runner } | undefined;
for (;;) {
  const command = await channel.hear();
  if ('open' in command) {
    await openSession(command.open);
    channel.tell({ ready: true });
  } else if ('answer' in command) {
    answers.push(command.answer);
    wake();
  } else void run(command.run);
}

async function openSession(options: Options): Promise<void> {
  const { ref, policy } = options;
  ({ ttlMs } = options);
  answers.length = 0;
  const concurrency = { policy, waitMs: 60_000 };
  const runner = new Runner({ appName: ref.appName, agent, sessionService, autoCreateSession: true, concurrency });
  open = { ref, runner };
  await service.getSession(ref);
}

async function run(newMessage: string): Promise<void> {
  try {
    const { ref, runner } = open!;
    const { text } = await runner.runToCompletion({ userId: ref.userId, sessionId: ref.sessionId, newMessage });
    channel.tell({ done: text });
  } catch (error) {
    channel.tell({ failed: TholeError.is(error) ? error.code : String(error) });
  }
}

async function nextAnswer(signal: AbortSignal): Promise<string> {
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
  while (answers.length === 0) {
    await Promise.race([new Promise<void>((resolve) => (wake = resolve)), aborted]);
  }
  return answers.shift()!;
}

/** Returns the service with leases of `ttlMs`. */
function withShortLeases(sessions: SessionService): SessionService {
  const { leasing } = sessions;
  if (!leasing) throw new Error('This backend has no leases.');
  const shorter = {
    lease: (...[key, request]: Parameters<typeof leasing.lease>) =>
      leasing.lease(key, { ...request, ttlMs: ttlMs ?? request.ttlMs }),
    current: leasing.current.bind(leasing),
    leases: leasing.leases.bind(leasing),
    requestStop: leasing.requestStop.bind(leasing),
  };
  return Object.defineProperty(sessions, 'leasing', { value: shorter });
}
