/**
 * Returns the files of a new provider: a model and an embedder with the file names that all providers share. Functions that
 * convert requests and responses throw `NOT_WRITTEN`.
 */
export function providerFiles(name, type) {
  const brand = name.replaceAll('-', '_').toUpperCase();
  const [variable, address] = [`${brand}_API_KEY`, `${brand}_BASE_URL`];
  return {
    'src/index.ts': `export { ${type} } from './${name}-llm.ts';
export type { ${type}Options } from './${name}-llm.ts';
export { ${type}Embedder } from './${name}-embedder.ts';
export type { ${type}EmbedderOptions } from './${name}-embedder.ts';
export { ${camel(type)}Models } from './${name}-models.ts';
export type { ${type}ConnectionOptions } from './${name}-options.ts';
`,
    [`src/${name}-options.ts`]: `import { TholeError } from '@thole/core';
import { assertConnectionOptions } from '@thole/core/kit';
import type { ConnectionOptions, EnvVars } from '@thole/core';

/** Connection options of ${type}. */
export type ${type}ConnectionOptions = ConnectionOptions;

/** Throws \`INVALID_INPUT\` for options that \`owner\` cannot use. \`own\` lists its further option names. */
export function assert${type}Options(options: ${type}ConnectionOptions, own: readonly string[], owner: string): void {
  assertConnectionOptions(options, own, owner);
  if (options.apiKey !== undefined) return;
  throw new TholeError('INVALID_INPUT', \`\${owner} needs an API key: set ${variable} and use fromEnv, or pass apiKey.\`);
}

/** Returns the options, completed from the environment. */
export function withEnv<T extends ${type}ConnectionOptions>(given: T, env: EnvVars = processEnv()): T {
  return {
    ...given,
    apiKey: given.apiKey ?? (env['${variable}'] || undefined),
    baseUrl: given.baseUrl ?? (env['${address}'] || undefined),
  };
}

function processEnv(): EnvVars {
  return globalThis.process?.env ?? {};
}
`,
    [`src/${name}-client.ts`]: `import { ProviderConnection } from '@thole/core';
import { ${camel(type)}Errors } from './map-${name}-error.ts';
import type { ${type}ConnectionOptions } from './${name}-options.ts';

/**
 * Sends requests to ${type}. If the provider has a library, load it here at the first call. Pass it the connection's \`fetch\`,
 * and turn off its own retries and time limits.
 */
export class ${type}Client {
  readonly connection: ProviderConnection;
  readonly #options: ${type}ConnectionOptions;

  constructor(options: ${type}ConnectionOptions) {
    this.#options = options;
    this.connection = new ProviderConnection(options, ${camel(type)}Errors);
  }

  /** Returns the server's response with an unread body, for \`send\` and \`stream\` of \`ProviderConnection\`. */
  post(path: string, body: object, signal: AbortSignal): Promise<Response> {
    const { apiKey, baseUrl = 'https://api.${name}.example', headers } = this.#options;
    return this.connection.fetch(\`\${baseUrl}\${path}\`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: \`Bearer \${apiKey}\`, ...headers },
      body: JSON.stringify(body),
      signal,
    });
  }
}
`,
    [`src/${name}-llm.ts`]: `import { TholeError } from '@thole/core';
import type { EnvVars, Llm, LlmOptions, LlmRequest, LlmResponse } from '@thole/core';
import { from${type}Response } from './from-${name}-response.ts';
import { ${type}Client } from './${name}-client.ts';
import { assert${type}Options, withEnv } from './${name}-options.ts';
import type { ${type}ConnectionOptions } from './${name}-options.ts';
import { read${type}Stream } from './read-${name}-stream.ts';
import { to${type}Request } from './to-${name}-request.ts';

/** Model and connection of a \`${type}\`. */
export interface ${type}Options extends ${type}ConnectionOptions {
  /** Name of the model. */
  model: string;
}

/** A model of ${type}. Errors have the codes \`MODEL_…\`; the constructor throws \`INVALID_INPUT\`. */
export class ${type} implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #client: ${type}Client;

  constructor(options: ${type}Options) {
    assert${type}Options(options, ['model'], '${type}');
    const { model, ...connection } = options;
    if (!model) throw new TholeError('INVALID_INPUT', 'model of ${type} must not be empty.');
    this.model = model;
    this.#client = new ${type}Client(connection);
  }

  /** Creates a model with options from the environment (\`${variable}\`, \`${address}\`). \`env\` replaces the variables of the process. */
  static fromEnv(
    model: string,
    options: ${type}ConnectionOptions & { env?: EnvVars | undefined } = {},
  ): ${type} {
    const { env, ...given } = options;
    return new ${type}({ ...withEnv(given, env), model });
  }

  async *generateContentAsync(
    request: LlmRequest,
    { stream, signal }: LlmOptions,
  ): AsyncGenerator<LlmResponse, void, undefined> {
    const body = to${type}Request(request, this.model, stream);
    const post = (limited: AbortSignal): Promise<Response> => this.#client.post('/generate', body, limited);
    const { connection } = this.#client;
    if (stream) yield* connection.stream(post, read${type}Stream, signal);
    else yield await connection.send(async (limited) => from${type}Response(await (await post(limited)).json()), signal);
  }
}
`,
    [`src/to-${name}-request.ts`]: `import { TholeError } from '@thole/core';
import type { LlmRequest } from '@thole/core';

/** Returns a request in ${type}'s format. Throws \`SCHEMA_UNSUPPORTED\` with the path for a schema that ${type} does not support. */
export function to${type}Request(_request: LlmRequest, _model: string, _stream: boolean): object {
  throw new TholeError('NOT_WRITTEN', 'to${type}Request is not written yet.');
}
`,
    [`src/from-${name}-response.ts`]: `import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/** Returns the final response of a call without streaming. */
export function from${type}Response(_answer: unknown): LlmResponse {
  throw new TholeError('NOT_WRITTEN', 'from${type}Response is not written yet.');
}
`,
    [`src/read-${name}-stream.ts`]: `import { TholeError } from '@thole/core';
import type { LlmResponse } from '@thole/core';

/**
 * Yields the partial responses of a streamed answer, each with new texts only, and then one final response with the complete
 * answer. Throws \`MODEL_INCOMPLETE\` if the stream ends early.
 */
export async function* read${type}Stream(_answer: Response): AsyncGenerator<LlmResponse> {
  yield notWritten();
}

function notWritten(): never {
  throw new TholeError('NOT_WRITTEN', 'read${type}Stream is not written yet.');
}
`,
    [`src/map-${name}-error.ts`]: `import { readRetryAfter, TholeError } from '@thole/core';
import { codeOfStatus } from '@thole/core/kit';
import type { ErrorTable } from '@thole/core';

/** Maps errors of ${type} to Thole's errors by their status. The bodies are not read yet. */
export const ${camel(type)}Errors: ErrorTable = {
  refuse({ status, headers }, now) {
    const retryAfterMs = readRetryAfter(headers, now);
    const code = codeOfStatus(status) ?? 'MODEL_BAD_REQUEST';
    return new TholeError(code, \`${type} refused the request with status \${status}.\`, { status, retryAfterMs });
  },
  explain: (error, when) =>
    when === 'sending'
      ? new TholeError('MODEL_UNAVAILABLE', '${type} cannot be reached. Check baseUrl and the network.', { cause: error })
      : new TholeError('MODEL_INCOMPLETE', 'The connection broke within the answer of ${type}.', { cause: error }),
};
`,
    [`src/${name}-embedder.ts`]: `import { TholeError } from '@thole/core';
import type { Embedder, EnvVars } from '@thole/core';
import { ${type}Client } from './${name}-client.ts';
import { assert${type}Options, withEnv } from './${name}-options.ts';
import type { ${type}ConnectionOptions } from './${name}-options.ts';

/** Model, vector length and connection of a \`${type}Embedder\`. */
export interface ${type}EmbedderOptions extends ${type}ConnectionOptions {
  /** Name of the model. */
  model: string;
  /** Length of a vector. */
  dimensions: number;
}

/** Embeddings of ${type}. */
export class ${type}Embedder implements Embedder {
  readonly specVersion = 1;
  readonly model: string;
  readonly dimensions: number;
  readonly maxBatch = 1;
  readonly #client: ${type}Client;

  constructor(options: ${type}EmbedderOptions) {
    assert${type}Options(options, ['model', 'dimensions'], '${type}Embedder');
    const { model, dimensions, ...connection } = options;
    this.model = model;
    this.dimensions = dimensions;
    this.#client = new ${type}Client(connection);
  }

  /** Creates an embedder with options from the environment (\`${variable}\`, \`${address}\`). \`env\` replaces the variables of the process. */
  static fromEnv(
    model: string,
    options: Omit<${type}EmbedderOptions, 'model'> & { env?: EnvVars | undefined },
  ): ${type}Embedder {
    const { env, ...given } = options;
    return new ${type}Embedder({ ...withEnv(given, env), model });
  }

  async embed(_texts: readonly string[], p: Parameters<Embedder['embed']>[1]): Promise<Float32Array[]> {
    return this.#client.connection.send(async () => {
      throw new TholeError('NOT_WRITTEN', '${type}Embedder.embed is not written yet.');
    }, p.signal);
  }
}
`,
    [`src/${name}-models.ts`]: `import { createModelFactory } from '@thole/core/kit';
import type { EnvVars, ModelFactory } from '@thole/core';
import { ${type} } from './${name}-llm.ts';
import type { ${type}ConnectionOptions } from './${name}-options.ts';

/**
 * Returns a factory for ${type}'s models (\`${name}-…\`, or \`${name}/\` and any name) for a runner's \`models\`. Missing options are
 * read from the environment when a model is created.
 */
export function ${camel(type)}Models(
  options: ${type}ConnectionOptions & { env?: EnvVars | undefined } = {},
): ModelFactory {
  return createModelFactory({
    owner: '${camel(type)}Models',
    patterns: ['${name}-*', '${name}/*'],
    prefix: '${name}/',
    isOwnName: (model) => /^${name}-./.test(model),
    create: (model) => ${type}.fromEnv(model, options),
  });
}
`,
    [`test/${name}-server.ts`]: `import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';

/** Starts a server with ${type}'s protocol. It answers each call as the scenario describes. */
export function start${type}Server(scenario: LlmScenario): Promise<ProtocolServer> {
  return ProtocolServer.start(() => {
    throw new Error(\`The scenario "\${scenario.name}" is not written yet.\`);
  });
}
`,
    'test/example-server.ts': `// Serves the API of ${type} on this machine, for the first program of the README. Prints the environment variables to set as one
// line of JSON, and gives the same answer to every request until it is stopped. \`node --conditions=@thole/source test/example-server.ts\`
import { start${type}Server } from './${name}-server.ts';

const server = await start${type}Server({ name: 'text', pieces: ['Hello.'], ending: 'stop' });
console.log(JSON.stringify({ ${variable}: 'local', ${address}: server.url }));
`,
    [`test/${name}-llm.test.ts`]: `import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, it } from 'vitest';
import { ${type} } from '../src/index.ts';
import { start${type}Server } from './${name}-server.ts';

interface Subject extends LlmSubject {
  readonly servers: ProtocolServer[];
}

// Each case is a test with its id as name. The tests that fail show the missing parts.
register<Subject>({ describe, it }, llmCases, {
  name: '${type}',
  // Add what the provider supports: 'thoughts', 'signatures', 'stop-sequences', 'request-model', 'images', 'answer-images', 'refuses-media'.
  claims: ['cuts', 'stalls', 'connections'],
  create: () => {
    const servers: ProtocolServer[] = [];
    return {
      servers,
      llm: async (scenario) => {
        const server = await start${type}Server(scenario);
        servers.push(server);
        return new ${type}({ model: '${name}-1', apiKey: 'a-local-key', baseUrl: server.url, retry: false });
      },
      received: () => servers.flatMap(({ requests }) => requests),
      allEnded: async () => {
        for (const server of servers) await server.allEnded();
      },
    };
  },
  destroy: async ({ servers }) => {
    for (const server of servers) await server.close();
  },
});
`,
    [`test/${name}-embedder.test.ts`]: `import { embedderCases, register } from '@thole/testing';
import { describe, it } from 'vitest';
import { ${type}Embedder } from '../src/index.ts';

register({ describe, it }, embedderCases, {
  name: '${type}Embedder',
  claims: [],
  create: () => new ${type}Embedder({ model: '${name}-embedding', dimensions: 3, apiKey: 'a-local-key', retry: false }),
});
`,
  };
}

function camel(type) {
  return `${type[0].toLowerCase()}${type.slice(1)}`;
}

/** Returns the first program of the README of a new provider. */
export function providerProgram(name, type) {
  return `import { ${type} } from '@thole/provider-${name}';

const model = ${type}.fromEnv('${name}-1');
const request = { contents: [{ role: 'user' as const, parts: [{ text: 'Hello!' }] }], config: {} };
const { signal } = new AbortController();
for await (const { content } of model.generateContentAsync(request, { stream: false, signal })) {
  console.log(content?.parts?.[0]?.text);
}
`;
}
