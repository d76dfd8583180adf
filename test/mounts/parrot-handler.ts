import { textOf } from '@thole/core';
import type { Llm, LlmResponse } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler } from '@thole/server';
import type { Handler } from '@thole/server';

/** A handler at `/api` to mount anywhere: the app `cage`, whose agent does what `mountCases` asks it to. */
export function parrotHandler(): Handler {
  const rootAgent = new LlmAgent({ name: 'polly', model: parrot() });
  return createHandler({
    ...{ apps: [{ name: 'cage', rootAgent }], sessionService: new InMemorySessionService(), basePath: '/api' },
  });
}

/**
 * A model that answers `slowly` in two halves, the second after any message `go on`, and answers `hang` only after
 * its run has ended.
 */
function parrot(): Llm {
  let goOn = Promise.withResolvers<void>();
  return {
    model: 'parrot',
    specVersion: 1,
    async *generateContentAsync({ contents }, { signal }): AsyncGenerator<LlmResponse> {
      const told = textOf(contents.at(-1));
      if (told === 'hang')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      if (told === 'go on') goOn.resolve();
      if (told === 'slowly') {
        yield { content: { role: 'model', parts: [{ text: 'Good ' }] }, partial: true };
        await goOn.promise;
        goOn = Promise.withResolvers();
        yield { content: { role: 'model', parts: [{ text: 'evening.' }] }, partial: true };
      }
      yield { content: { role: 'model', parts: [{ text: 'Good evening.' }] }, finishReason: 'STOP' };
    },
  };
}
