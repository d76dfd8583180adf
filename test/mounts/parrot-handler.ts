import { textOf } from '@thole/core';
import type { Llm, LlmResponse } from '@thole/core';
import { InMemorySessionService } from '@thole/mem-services';
import { LlmAgent } from '@thole/runner';
import { createHandler } from '@thole/server';
import type { Handler } from '@thole/server';

/** Returns a handler at `/api` with the app `cage`, whose agent answers the messages of `mountCases`. */
export function parrotHandler(): Handler {
  const rootAgent = new LlmAgent({ name: 'polly', model: parrot() });
  return createHandler({
    ...{ apps: [{ name: 'cage', rootAgent }], sessionService: new InMemorySessionService(), basePath: '/api' },
  });
}

/**
 * Returns a model. It answers `slowly` in two halves, the second half after a message `go on` in any session. It does not answer
 * `hang` until the run is aborted.
 */
function parrot(): Llm {
  let goOn = Promise.withResolvers<void>();
  return {
    model: 'parrot',
    specVersion: 1,
    async *generateContentAsync({ contents }, { signal }): AsyncGenerator<LlmResponse> {
      const message = textOf(contents.at(-1));
      if (message === 'hang')
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      if (message === 'go on') goOn.resolve();
      if (message === 'slowly') {
        yield { content: { role: 'model', parts: [{ text: 'Good ' }] }, partial: true };
        await goOn.promise;
        goOn = Promise.withResolvers();
        yield { content: { role: 'model', parts: [{ text: 'evening.' }] }, partial: true };
      }
      yield { content: { role: 'model', parts: [{ text: 'Good evening.' }] }, finishReason: 'STOP' };
    },
  };
}
