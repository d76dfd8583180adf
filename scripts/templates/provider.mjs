/** A model and an embedder under the file names that every provider has; the functions that they join are not written. */
export function providerFiles(name, type) {
  const options = `${type}Options`;
  return {
    'src/index.ts': `export { ${type} } from './${name}-llm.ts';
export type { ${options} } from './${name}-llm.ts';
export { ${type}Embedder } from './${name}-embedder.ts';
export { ${camel(type)}Models } from './${name}-models.ts';
`,
    [`src/${name}-llm.ts`]: `import type { Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { from${type}Response } from './from-${name}-response.ts';
import { map${type}Error } from './map-${name}-error.ts';
import { read${type}Stream } from './read-${name}-stream.ts';
import { to${type}Request } from './to-${name}-request.ts';

/** How to reach ${type}. */
export interface ${options} {
  readonly model: string;
  /** One request to the provider: its answer, or the pieces of it. */
  readonly send: (body: unknown, options: LlmOptions) => Promise<unknown>;
}

/** A model of ${type}. Errors carry the codes of core's table, \`MODEL_…\`. */
export class ${type} implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #send: ${options}['send'];

  constructor(options: ${options}) {
    this.model = options.model;
    this.#send = options.send;
  }

  async *generateContentAsync(request: LlmRequest, options: LlmOptions): AsyncGenerator<LlmResponse> {
    try {
      const answer = await this.#send(to${type}Request(request), options);
      if (options.stream) yield* read${type}Stream(answer);
      else yield from${type}Response(answer);
    } catch (error) {
      throw map${type}Error(error);
    }
  }
}
`,
    [`src/to-${name}-request.ts`]: `import { TholeError } from '@thole/core';
import type { LlmRequest } from '@thole/core';

/** What ${type} is sent for a request of ours. */
export function to${type}Request(_request: LlmRequest): unknown {
  throw new TholeError('NOT_WRITTEN', 'to${type}Request is not written yet.');
}
`,
    [`src/from-${name}-response.ts`]: `import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/** The one final of a call that is not streamed. */
export function from${type}Response(_answer: unknown): LlmResponse {
  throw new TholeError('NOT_WRITTEN', 'from${type}Response is not written yet.');
}
`,
    [`src/read-${name}-stream.ts`]: `import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/** Partials with only what is new, then exactly one final with the whole. */
export async function* read${type}Stream(_answer: unknown): AsyncGenerator<LlmResponse> {
  yield notWritten();
}

function notWritten(): never {
  throw new TholeError('NOT_WRITTEN', 'read${type}Stream is not written yet.');
}
`,
    [`src/map-${name}-error.ts`]: `import { TholeError } from '@thole/core';

/** An error of the provider as one of ours; one that has a code already is left alone. */
export function map${type}Error(error: unknown): TholeError {
  if (TholeError.is(error)) return error;
  return new TholeError('MODEL_FAILED', '${type} failed.', { cause: error });
}
`,
    [`src/${name}-embedder.ts`]: `import { TholeError } from '@thole/core';
import type { Embedder } from '@thole/core';

/** Embeddings of ${type}. */
export class ${type}Embedder implements Embedder {
  readonly specVersion = 1;
  readonly model = '${name}-embedding';
  readonly dimensions = 1;
  readonly maxBatch = 1;

  async embed(_texts: readonly string[], _p: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    throw new TholeError('NOT_WRITTEN', '${type}Embedder.embed is not written yet.');
  }
}
`,
    [`src/${name}-models.ts`]: `import type { ModelFactory } from '@thole/core';
import { ${type} } from './${name}-llm.ts';
import type { ${options} } from './${name}-llm.ts';

/** Makes ${type}'s models by name, \`${name}-…\`; for a runner's \`models\`. */
export function ${camel(type)}Models(options: Omit<${options}, 'model'>): ModelFactory {
  return {
    patterns: ['${name}-*'],
    supports: (model) => model.startsWith('${name}-'),
    create: (model) => new ${type}({ ...options, model }),
  };
}
`,
    [`test/${name}-llm.test.ts`]: `import { llmCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { ${type} } from '../src/index.ts';

// Each case is a test named by its id: those that fail are what is not written yet. \`send\` is to play the scenario in the
// provider's own protocol.
register({ describe, it }, llmCases, {
  name: '${type}',
  claims: [],
  create: () => ({ llm: (scenario) => new ${type}({ model: '${name}-1', send: async () => scenario }) }),
});
`,
    [`test/${name}-embedder.test.ts`]: `import { embedderCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { ${type}Embedder } from '../src/index.ts';

register({ describe, it }, embedderCases, { name: '${type}Embedder', claims: [], create: () => new ${type}Embedder() });
`,
  };
}

function camel(type) {
  return `${type[0].toLowerCase()}${type.slice(1)}`;
}
