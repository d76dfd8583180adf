import { AutoIngestPlugin } from '@thole/memory';
import { geminiModels } from '@thole/provider-gemini';
import { openAiModels } from '@thole/provider-openai';
import { bearerToken, createHandler, lineLogger } from '@thole/server';
import { serve } from '@thole/server/node';
import { LlmAgent, preloadMemoryTool, systemRuntime } from 'thole';
import { openServices } from './services.ts';

const {
  MODEL = 'gpt-5.5',
  THOLE_TOKEN,
  HOST = '0.0.0.0',
  PORT = '8000',
  DRAIN_MS = '0',
  STOP_MS = '8000',
} = process.env;
if (!THOLE_TOKEN) throw new Error('Set THOLE_TOKEN to a long random text.');

const runtime = systemRuntime({ logger: lineLogger({ level: 'warning' }) });
const { sessionService, memoryService, close } = await openServices();
const rootAgent = new LlmAgent({
  name: 'clerk',
  model: MODEL,
  instruction: 'You work in a shoe shop. Answer in one or two sentences.',
  tools: [preloadMemoryTool()],
});
const plugins = [new AutoIngestPlugin({ sessions: sessionService, memory: memoryService })];
const models = [openAiModels(), geminiModels()];

const handler = createHandler({
  apps: [{ name: 'shop', rootAgent, plugins, models }],
  sessionService,
  memoryService,
  authorize: bearerToken(THOLE_TOKEN),
  onDisconnect: 'continue',
  recover: true,
  runtime,
});
const server = await serve(handler, { host: HOST, port: Number(PORT) });
console.log(`Listening on ${server.url}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());

async function stop(): Promise<void> {
  await server.close({ drainMs: Number(DRAIN_MS), timeoutMs: Number(STOP_MS) });
  await close();
}
