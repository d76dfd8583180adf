// Serves an app `hotel` for the README's first program. Prints the environment variable to set as one line of JSON, and
// answers every message with the same text. Run: `node --conditions=@thole/source test/example-server.ts`
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler } from '@thole/server';
import { serve } from '@thole/server/node';
import { ScriptedLlm, streams } from '@thole/testing';

const answer = streams('Breakfast is', ' from seven', ' to ten.');
const porter = new LlmAgent({ name: 'porter', model: new ScriptedLlm(...Array.from({ length: 100 }, () => answer)) });
const handler = createHandler({
  apps: [{ name: 'hotel', rootAgent: porter }],
  sessionService: new InMemorySessionService(),
});
const { url } = await serve(handler, { port: 0 });
console.log(JSON.stringify({ THOLE_URL: url }));
