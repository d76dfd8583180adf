// Serves OpenAI's Chat Completions on this machine for the first program of README.md: the first answer calls the program's tool, the
// second answer uses its result. Prints the environment variables for the program as one line of JSON, and runs until it is stopped.
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { chatAnswers } from '../packages/provider-openai/test/chat-server.ts';

const scenarios: LlmScenario[] = [
  { name: 'call', calls: [{ id: 'call_1', name: 'order_status', args: { orderId: '1042' } }], ending: 'stop' },
  { name: 'text', pieces: ['Order 1042 has been shipped.'], ending: 'stop' },
];
const server = await ProtocolServer.start((request) => chatAnswers(scenarios.shift()!)(request));
console.log(JSON.stringify({ OPENAI_API_KEY: 'local', OPENAI_BASE_URL: `${server.url}/v1` }));
