// Serves the Messages API on this machine, for the first program of the README. Prints the environment variables to set as one
// line of JSON, and gives the same answer to every request until it is stopped. `node --conditions=@thole/source test/example-server.ts`
import { startAnthropicServer } from './anthropic-server.ts';

const server = await startAnthropicServer({
  name: 'text',
  pieces: ['Breakfast is ', 'from seven ', 'to ten.'],
  ending: 'stop',
});
console.log(JSON.stringify({ ANTHROPIC_API_KEY: 'local', ANTHROPIC_BASE_URL: server.url }));
