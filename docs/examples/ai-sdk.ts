import { anthropic } from '@ai-sdk/anthropic';
import { AiSdkLlm } from '@thole/provider-ai-sdk';
import { InMemoryRunner, LlmAgent } from 'thole';

const model = new AiSdkLlm(anthropic('claude-sonnet-4-5'));
const agent = new LlmAgent({ name: 'porter', model, instruction: 'Answer in one sentence, as the harbour hotel.' });
const runner = new InMemoryRunner({ agent });

const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'When is breakfast?' });
console.log(text);
await runner.close();
