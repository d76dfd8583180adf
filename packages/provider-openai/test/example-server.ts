// Serves both APIs of OpenAI on this machine, for the first program of the README. Prints the environment variables to set as one
// line of JSON, and gives the same answer to every request until it is stopped. `node --conditions=@thole/source test/example-server.ts`
import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';
import { chatAnswers } from './chat-server.ts';
import { embeddingAnswers } from './embedding-server.ts';
import { answerResponses } from './responses-server.ts';

const scenario: LlmScenario = { name: 'text', pieces: ['Breakfast is ', 'from seven ', 'to ten.'], ending: 'stop' };
const [chat, embeddings] = [chatAnswers(scenario), embeddingAnswers(1536)];
const server = await ProtocolServer.start((request) => {
  if (request.path === '/v1/responses') return answerResponses(scenario, request.body);
  if (request.path === '/v1/chat/completions') return chat(request);
  if (request.path === '/v1/embeddings') return embeddings(request);
  return {
    status: 404,
    body: JSON.stringify({ error: { message: `No ${request.path} here`, type: 'invalid_request_error' } }),
  };
});
console.log(JSON.stringify({ OPENAI_API_KEY: 'local', OPENAI_BASE_URL: `${server.url}/v1` }));
