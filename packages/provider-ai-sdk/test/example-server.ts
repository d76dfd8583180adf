// Serves Anthropic's API on this machine, for the README's first program: prints the variables to set, as one line of
// JSON, and answers every question alike until it is stopped. `node --conditions=@thole/source test/example-server.ts`
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { answerAsAnthropic } from './anthropic-server.ts';

const scenario: LlmScenario = { name: 'text', pieces: ['Breakfast is ', 'from seven ', 'to ten.'], ending: 'stop' };
const server = await ProtocolServer.start(({ body }) => answerAsAnthropic(scenario, body));
console.log(JSON.stringify({ ANTHROPIC_API_KEY: 'local', ANTHROPIC_BASE_URL: `${server.url}/v1` }));
