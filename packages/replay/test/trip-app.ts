import type { App } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { AgentTool, LlmAgent } from '@thole/runner';
import type { RunnerOptions } from '@thole/runner';
import { calls, FixedRuntime, says, ScriptedLlm, streams } from '@thole/testing';
import { FunctionTool } from '@thole/tools';

/** Parts of the app that a test changes. */
export interface TripChanges {
  instruction?: string;
  description?: string;
  answers?: ConstructorParameters<typeof ScriptedLlm>;
  onBook?: () => void;
}

/** Returns an app with three tools: `weather` changes state and may fail, `book` asks a person, and `guide` is an agent. */
export function tripApp({ answers = [], description, instruction, onBook }: TripChanges = {}): App {
  const weather = new FunctionTool({
    name: 'weather',
    description: description ?? 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: ({ city }, { state }) => {
      onBook?.();
      state.set('city', city!);
      state.set('temp:secret', 'hush');
      if (city === 'Atlantis') throw new Error('There is no such city.');
      return { city: city!, sky: 'clear' };
    },
  });
  const book = new FunctionTool({
    name: 'book',
    description: 'Books a trip.',
    execute: async (_args, context) => {
      const price = await context.step('price', async () => {
        onBook?.();
        return 7;
      });
      const answer = await context.requestInput({ message: `Pay ${price}?` });
      return { answer, price };
    },
  });
  const guide = new LlmAgent({ name: 'guide', model: 'by-name', description: 'Knows sights.' });
  const model = new ScriptedLlm(...answers);
  const tools = [weather, book, new AgentTool({ agent: guide })];
  const rootAgent = new LlmAgent({ name: 'root', model, instruction: instruction ?? 'Plan trips.', tools });
  return { name: 'trips', rootAgent };
}

/** Returns the options of a runner for this app. Models that are created by name return the answers `byName`. */
export function optionsFor(app: App, ...byName: ConstructorParameters<typeof ScriptedLlm>): RunnerOptions {
  const llm = new ScriptedLlm(...byName);
  const models = [{ patterns: ['by-name'], supports: (name: string) => name === 'by-name', create: () => llm }];
  const sessionService = new InMemorySessionService();
  return { app: { ...app, models }, sessionService, runtime: new FixedRuntime({ now: 1_800_000_000 }) };
}

export const hello = { userId: 'ann', newMessage: 'Oslo?' };

/** Model answers of a run with a tool call and a streamed text. */
export const weatherAnswers: ConstructorParameters<typeof ScriptedLlm> = [
  calls('weather', { city: 'Oslo' }),
  streams('Clear ', 'skies.'),
];

/** Model answers of two runs: the call of `book` pauses the first run. */
export const bookAnswers: ConstructorParameters<typeof ScriptedLlm> = [calls('book', {}), says('Booked.')];
