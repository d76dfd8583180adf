/** The text of a new project's `demo-llm.ts`: a model that needs no key. */
export const demoLlmText = `import { textOf } from '@thole/core';
import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';

/** A model of a few rules, to look around without a key: asked for the time it calls the tool, everything else it repeats. */
export class DemoLlm implements Llm {
  readonly specVersion = 1;
  readonly model = 'demo';

  async *generateContentAsync({ contents }: LlmRequest, { stream }: LlmOptions): AsyncGenerator<LlmResponse, void> {
    const last = contents.at(-1);
    const answer = last?.parts?.find((part) => part.functionResponse)?.functionResponse;
    if (answer) {
      const { time, error } = answer.response;
      return yield* says(error === undefined ? \`It is \${String(time)} there.\` : \`That failed: \${String(error)}\`, stream);
    }
    const text = textOf(last);
    if (/\\btime\\b/i.test(text)) {
      const call = { name: 'current_time', args: { timeZone: timeZoneIn(text) } };
      return yield { content: { role: 'model', parts: [{ functionCall: call }] }, finishReason: 'STOP' };
    }
    yield* says(\`You said: \${text}. Ask me what time it is in Tokyo.\`, stream);
  }
}

/** Word by word where that is wanted, and then the whole. */
function* says(text: string, stream: boolean): Generator<LlmResponse, void> {
  for (const word of stream ? text.split(/(?<= )/) : []) {
    yield { content: { role: 'model', parts: [{ text: word }] }, partial: true };
  }
  yield { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' };
}

function timeZoneIn(text: string): string {
  const said = text.toLowerCase();
  const zones = Intl.supportedValuesOf('timeZone');
  return zones.find((zone) => said.includes(zone.split('/').at(-1)!.replaceAll('_', ' ').toLowerCase())) ?? 'UTC';
}
`;
