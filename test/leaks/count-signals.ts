/**
 * Prints the number of abort signals that stay in memory after calls of each kind, as JSON. All calls have the signal of one caller, and
 * the called code never removes its listener. It is a program, because counting visits all objects of a process.
 */
import { setTimeout } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { systemRuntime } from '@thole/core';
import { inProcessLeases, withTimeLimit } from '@thole/core/kit';
import { InMemorySessionService } from '@thole/mem-services';
import { Anthropic } from '@thole/provider-anthropic';
import { LlmAgent, Runner } from '@thole/runner';
import { calls, says, ScriptedLlm } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { FunctionTool } from '@thole/tools';
import { holdLease } from '../../packages/memory/src/lease/hold-lease.ts';
import { answerWith } from '../../packages/provider-anthropic/test/anthropic-server.ts';
import { ask, hello } from '../../packages/provider-anthropic/test/ask.ts';
import { messageOf } from '../../packages/provider-anthropic/test/fixtures/messages.ts';

const CALLS = 30;
const runtime = systemRuntime();
const { signal } = new AbortController();

const countSignals = (): number => queryObjects(AbortSignal, { format: 'count' });

/** Returns the number of signals that are left after the calls. */
async function leftBy(call: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 3; i++) await call();
  const before = countSignals();
  for (let i = 0; i < CALLS; i++) await call();
  // Some objects are collected a little later.
  for (let i = 0; i < 20 && countSignals() - before >= CALLS / 2; i++) await setTimeout(100);
  return countSignals() - before;
}

const listen = (limited: AbortSignal): void => limited.addEventListener('abort', () => {}, { once: true });

const inTime = (): Promise<void> =>
  withTimeLimit({ runtime, ms: 60_000, timeoutError: () => new Error('late'), signal }, async (limited) =>
    listen(limited),
  );

const lease = { leasing: inProcessLeases(runtime), runtime, holder: 'test', waitMs: 0, signal };
const key = { appName: 'shop', userId: 'ann', sessionId: 's' };
const underLease = (): Promise<void> => holdLease({ ...lease, key }, async (limited) => listen(limited));

const look = new FunctionTool({
  ...{ name: 'look', description: 'Looks.', timeoutMs: 60_000 },
  execute: (_args, context) => context.signal.addEventListener('abort', () => context.state),
});
const sessionService = new InMemorySessionService();
async function runWithTool(): Promise<void> {
  const model = new ScriptedLlm(calls('look'), says('Done.'));
  const agent = new LlmAgent({ name: 'root', model, tools: [look] });
  const runner = new Runner({ appName: 'shop', agent, sessionService, autoCreateSession: true });
  await runner.runToCompletion({ userId: 'ann', newMessage: 'Look.', abortSignal: signal });
  await runner.close();
}

const message = messageOf([{ type: 'text', text: 'Nine.' }]);
const server = await ProtocolServer.start(({ body }) => answerWith(message, body));
const claude = new Anthropic({ model: 'claude-sonnet-5-5', apiKey: 'sk-ant-12345', baseUrl: server.url, retry: false });

const left = {
  withTimeLimit: await leftBy(inTime),
  holdLease: await leftBy(underLease),
  tool: await leftBy(runWithTool),
  claude: await leftBy(() => ask(claude, hello, { stream: false, signal })),
  claudeStream: await leftBy(() => ask(claude, hello, { stream: true, signal })),
};
console.log(JSON.stringify(left));
await server.close();
