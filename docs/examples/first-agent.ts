import { InMemoryRunner, LlmAgent } from 'thole';
import { chooseModel } from './model.ts';

const agent = new LlmAgent({
  name: 'clerk',
  model: chooseModel(),
  instruction: 'You work in a shoe shop. Answer in one or two sentences.',
});
const runner = new InMemoryRunner({ agent });

const { text } = await runner.runToCompletion({ userId: 'ada', newMessage: 'Hello, what do you sell?' });
console.log(text);
await runner.close();
