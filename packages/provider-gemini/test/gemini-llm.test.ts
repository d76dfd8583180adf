import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { Gemini } from '../src/index.ts';

// Each case is a test named by its id: those that fail are what is not written yet. `send` is to play the scenario in the
// provider's own protocol.
register({ describe, it }, llmCases, {
  name: 'Gemini',
  claims: [],
  create: () => ({ llm: (scenario) => new Gemini({ model: 'gemini-1', send: async () => scenario }) }),
});
