/** The text of a new project's `demo-llm.ts`: a model that needs no key. */
export const demoLlmText = `import { textOf } from '@thole/core';
import type { JsonObject, Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';

/**
 * A model with a few rules that needs no key. It calls the tools for time and memory, and repeats all other messages.
 */
export class DemoLlm implements Llm {
  readonly specVersion = 1;
  readonly model = 'demo';

  async *generateContentAsync({ contents }: LlmRequest, { stream }: LlmOptions): AsyncGenerator<LlmResponse, void> {
    const last = contents.at(-1);
    const answer = last?.parts?.find((part) => part.functionResponse)?.functionResponse;
    if (answer) {
      return yield* says(describeAnswer(answer.name, answer.response), stream);
    }
    const text = textOf(last);
    if (/\\btime\\b/i.test(text)) {
      return yield calls('current_time', { timeZone: timeZoneIn(text) });
    }
    if (/^what\\b.*\\b(know|remember)\\b/i.test(text)) return yield calls('load_memory', { query: text });
    const fact = /^remember\\s+(?:that\\s+)?(.+)/i.exec(text)?.[1];
    if (fact) return yield calls('remember', { fact });
    yield* says(\`You said: \${text}. Ask me what time it is in Tokyo.\`, stream);
  }
}

function calls(name: string, args: { [name: string]: string }): LlmResponse {
  return { content: { role: 'model', parts: [{ functionCall: { name, args } }] }, finishReason: 'STOP' };
}

/** Returns the answer of a tool as a sentence. */
function describeAnswer(tool: string, response: JsonObject): string {
  const { error, time, memories } = response;
  if (error !== undefined) return \`The tool failed: \${String(error)}\`;
  if (tool === 'current_time') return \`It is \${String(time)} there.\`;
  if (tool === 'remember') return 'I will remember that.';
  const texts = (Array.isArray(memories) ? memories : []).map((each) => (each as { text: string }).text);
  return texts.length > 0 ? \`I remember: \${texts.join(' ')}\` : 'I remember nothing about that.';
}

/** Yields the text word by word if \`stream\` is true, and then the complete text. */
function* says(text: string, stream: boolean): Generator<LlmResponse, void> {
  for (const word of stream ? text.split(/(?<= )/) : []) {
    yield { content: { role: 'model', parts: [{ text: word }] }, partial: true };
  }
  yield { content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP' };
}

function timeZoneIn(text: string): string {
  const lower = text.toLowerCase();
  const zones = Intl.supportedValuesOf('timeZone');
  return zones.find((zone) => lower.includes(zone.split('/').at(-1)!.replaceAll('_', ' ').toLowerCase())) ?? 'UTC';
}
`;
