import { Gemini } from '@thole/provider-gemini';
import { OpenAi } from '@thole/provider-openai';
import { textOf, type Llm, type Part } from 'thole';

/** Returns a real model if a key is set, otherwise the demo model below. */
export function chooseModel(): Llm {
  if (process.env.OPENAI_API_KEY) return OpenAi.fromEnv('gpt-5.5');
  if (process.env.GEMINI_API_KEY) return Gemini.fromEnv('gemini-3.8-flash');
  console.log('No key is set: a demo model answers by a few rules.');
  return demoModel;
}

/** Not a language model: it calls the tool for an order number, quotes memory, and repeats everything else. */
const demoModel: Llm = {
  model: 'demo',
  specVersion: 1,
  async *generateContentAsync({ contents }) {
    const last = contents.at(-1);
    const result = last?.parts?.find((part) => part.functionResponse)?.functionResponse?.response;
    const orderId = /order (\d+)/.exec(textOf(last))?.[1];
    const memory = contents.map(textOf).find((text) => text.includes('earlier conversations'));
    let part: Part = { text: `You said: ${textOf(last)}` };
    if (memory) part = { text: `I remember: ${/^- (?:\w+: )?(.*)$/m.exec(memory)?.[1]}` };
    if (orderId) part = { functionCall: { name: 'order_status', args: { orderId } } };
    if (result) part = { text: `The tool returned ${JSON.stringify(result)}` };
    yield { content: { role: 'model', parts: [part] }, finishReason: 'STOP' };
  },
};
