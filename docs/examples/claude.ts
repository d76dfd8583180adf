import { Anthropic } from '@thole/provider-anthropic';
import { InMemoryRunner, LlmAgent } from 'thole';

const model = Anthropic.fromEnv('claude-sonnet-5-5');
const agent = new LlmAgent({ name: 'porter', model, instruction: 'Answer in one sentence, as the harbour hotel.' });
const runner = new InMemoryRunner({ agent });

const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'When is breakfast?' });
console.log(text);
await runner.close();
