// Serves Anthropic's API on this machine, for the first program of the README. Prints the environment variables to set as one
// line of JSON, and gives the same answer to every request until it is stopped. `node --conditions=@thole/source test/example-server.ts`
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { answerAsAnthropic } from './anthropic-server.ts';

const scenario: LlmScenario = { name: 'text', pieces: ['Breakfast is ', 'from seven ', 'to ten.'], ending: 'stop' };
const server = await ProtocolServer.start(({ body }) => answerAsAnthropic(scenario, body));
console.log(JSON.stringify({ ANTHROPIC_API_KEY: 'local', ANTHROPIC_BASE_URL: `${server.url}/v1` }));
