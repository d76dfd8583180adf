/** A model and an embedder under the file names that every provider has; the functions that they join are not written. */
export function providerFiles(name, type) {
  const variable = `${name.replaceAll('-', '_').toUpperCase()}_API_KEY`;
  return {
    'src/index.ts': `export { ${type} } from './${name}-llm.ts';
export type { ${type}Options } from './${name}-llm.ts';
export { ${type}Embedder } from './${name}-embedder.ts';
export type { ${type}EmbedderOptions } from './${name}-embedder.ts';
export { ${camel(type)}Models } from './${name}-models.ts';
export type { ${type}ConnectionOptions, ${type}Env } from './${name}-options.ts';
`,
    [`src/${name}-options.ts`]: `import { checkConnectionOptions, ProviderConnection, readRetryAfter, TholeError } from '@thole/core';
import type { ConnectionOptions, Embedder, ErrorTable, Llm, LlmOptions, LlmRequest, LlmResponse, ModelFactory } from '@thole/core';

/** How ${type} is reached. */
export type ${type}ConnectionOptions = ConnectionOptions;

/** Variables of an environment, by name. */
export type ${type}Env = { readonly [name: string]: string | undefined };

/** \`INVALID_INPUT\` for options that \`owner\` cannot be made with; \`own\` are the names it knows beside these. */
export function check${type}Options(options: ${type}ConnectionOptions, own: readonly string[], owner: string): void {
  checkConnectionOptions(options, own, owner);
  if (options.apiKey !== undefined) return;
  throw new TholeError('INVALID_INPUT', \`\${owner} needs an API key: set ${variable} and use fromEnv, or give apiKey.\`);
}

/** The given options, and from the environment what they leave open. */
export function withEnv<T extends ${type}ConnectionOptions>(given: T, env: ${type}Env = processEnv()): T {
  return { ...given, apiKey: given.apiKey ?? (env['${variable}'] || undefined) };
}

function processEnv(): ${type}Env {
  return globalThis.process?.env ?? {};
}
`,
    [`src/${name}-client.ts`]: `import { ${camel(type)}Errors } from './map-${name}-error.ts';
import type { ${type}ConnectionOptions } from './${name}-options.ts';

/**
 * What ${type} is asked through. Where the provider has a library, it is loaded here, at the first call: with the connection's
 * \`fetch\`, and with its own retries and time limits switched off.
 */
export class ${type}Client {
  readonly connection: ProviderConnection;
  readonly #options: ${type}ConnectionOptions;

  constructor(options: ${type}ConnectionOptions) {
    this.#options = options;
    this.connection = new ProviderConnection(options, ${camel(type)}Errors);
  }

  /** The server's answer, with its body unread; for the connection's \`send\` and \`stream\`. */
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
    [`src/${name}-llm.ts`]: `import { ${type}Client } from './${name}-client.ts';
import { check${type}Options, withEnv } from './${name}-options.ts';
import type { ${type}ConnectionOptions, ${type}Env } from './${name}-options.ts';
import { from${type}Response } from './from-${name}-response.ts';
import { read${type}Stream } from './read-${name}-stream.ts';
import { to${type}Request } from './to-${name}-request.ts';

/** Which model, and how it is reached. */
export interface ${type}Options extends ${type}ConnectionOptions {
  model: string;
}

/** A model of ${type}. Errors carry the codes of core's table, \`MODEL_…\`; the constructor's are \`INVALID_INPUT\`. */
export class ${type} implements Llm {
  readonly specVersion = 1;
  readonly model: string;
  readonly #client: ${type}Client;

  constructor(options: ${type}Options) {
    check${type}Options(options, ['model'], '${type}');
    const { model, ...connection } = options;
    if (!model) throw new TholeError('INVALID_INPUT', 'model of ${type} must not be empty.');
    this.model = model;
    this.#client = new ${type}Client(connection);
  }

  /** With what the environment says (\`${variable}\`); \`env\` stands in for that of the process. */
  static fromEnv(
    model: string,
    options: ${type}ConnectionOptions & { env?: ${type}Env | undefined } = {},
  ): ${type} {
    const { env, ...given } = options;
    return new ${type}({ ...withEnv(given, env), model });
  }

  async *generateContentAsync(
    request: LlmRequest,
    { stream, signal }: LlmOptions,
  ): AsyncGenerator<LlmResponse, void, undefined> {
    const body = to${type}Request(request, this.model, stream);
    const ask = (own: AbortSignal): Promise<Response> => this.#client.post('/generate', body, own);
    const { connection } = this.#client;
    if (stream) yield* connection.stream(ask, read${type}Stream, signal);
    else yield await connection.send(async (own) => from${type}Response(await (await ask(own)).json()), signal);
  }
}
`,
    [`src/to-${name}-request.ts`]: `
/** What ${type} is sent for a request of ours. \`SCHEMA_UNSUPPORTED\` for a schema that it cannot take, naming the path. */
export function to${type}Request(_request: LlmRequest, _model: string, _stream: boolean): object {
  throw new TholeError('NOT_WRITTEN', 'to${type}Request is not written yet.');
}
`,
    [`src/from-${name}-response.ts`]: `
/** The one final of a call that is not streamed. */
export function from${type}Response(_answer: unknown): LlmResponse {
  throw new TholeError('NOT_WRITTEN', 'from${type}Response is not written yet.');
}
`,
    [`src/read-${name}-stream.ts`]: `
/** Partials with only what is new, then exactly one final with the whole. \`MODEL_INCOMPLETE\` where it ends before that. */
export async function* read${type}Stream(_answer: Response): AsyncGenerator<LlmResponse> {
  yield notWritten();
}

function notWritten(): never {
  throw new TholeError('NOT_WRITTEN', 'read${type}Stream is not written yet.');
}
`,
    [`src/map-${name}-error.ts`]: `
/** ${type}'s table of errors. By status alone: what its bodies tell besides is not read yet. */
export const ${camel(type)}Errors: ErrorTable = {
  refuse({ status, headers }, now) {
    const retryAfterMs = readRetryAfter(headers, now);
    return new TholeError(codeOf(status), \`${type} refused the request with \${status}.\`, { status, retryAfterMs });
  },
  explain: (error, when) =>
    when === 'asking'
      ? new TholeError('MODEL_UNAVAILABLE', '${type} cannot be reached.', { cause: error })
      : new TholeError('MODEL_INCOMPLETE', 'The answer of ${type} broke off.', { cause: error }),
};

function codeOf(status: number): string {
  if (status === 401 || status === 403) return 'MODEL_AUTH';
  if (status === 429) return 'MODEL_RATE_LIMITED';
  if (status === 503 || status === 529) return 'MODEL_OVERLOADED';
  return status >= 500 ? 'MODEL_UNAVAILABLE' : 'MODEL_BAD_REQUEST';
}
`,
    [`src/${name}-embedder.ts`]: `import { ${type}Client } from './${name}-client.ts';
import { check${type}Options, withEnv } from './${name}-options.ts';
import type { ${type}ConnectionOptions, ${type}Env } from './${name}-options.ts';

/** Which model, how long its vectors are, and how it is reached. */
export interface ${type}EmbedderOptions extends ${type}ConnectionOptions {
  model: string;
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
    check${type}Options(options, ['model', 'dimensions'], '${type}Embedder');
    const { model, dimensions, ...connection } = options;
    this.model = model;
    this.dimensions = dimensions;
    this.#client = new ${type}Client(connection);
  }

  /** With what the environment says (\`${variable}\`); \`env\` stands in for that of the process. */
  static fromEnv(
    model: string,
    options: Omit<${type}EmbedderOptions, 'model'> & { env?: ${type}Env | undefined },
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
    [`src/${name}-models.ts`]: `import { ${type} } from './${name}-llm.ts';
import type { ${type}ConnectionOptions, ${type}Env } from './${name}-options.ts';

/**
 * Makes ${type}'s models by name, \`${name}-…\` or \`${name}/\` and any name; for a runner's \`models\`. What the options leave open is
 * read from the environment when a model is made.
 */
export function ${camel(type)}Models(
  options: ${type}ConnectionOptions & { env?: ${type}Env | undefined } = {},
): ModelFactory {
  const patterns = ['${name}-*', '${name}/*'];
  const supports = (model: string): boolean => /^${name}[-/]./.test(model);
  return {
    patterns,
    supports,
    create: (model) => {
      if (!supports(model))
        throw new TholeError('MODEL_UNKNOWN', \`${type} has no model \${model}; known are \${patterns.join(', ')}.\`);
      return ${type}.fromEnv(model.replace(/^${name}\\//, ''), options);
    },
  };
}
`,
    [`test/${name}-server.ts`]: `import type { LlmScenario } from '@thole/testing';
import { ProtocolServer } from '@thole/testing/http';

/** A server that speaks ${type}'s protocol and plays the scenario at each call. */
export function start${type}Server(scenario: LlmScenario): Promise<ProtocolServer> {
  return ProtocolServer.start(() => {
    throw new Error(\`\${scenario.name} is not played yet.\`);
  });
}
`,
    [`test/${name}-llm.test.ts`]: `import { llmCases, register } from '@thole/testing';
import type { LlmSubject } from '@thole/testing';
import type { ProtocolServer } from '@thole/testing/http';
import { describe, it } from 'vitest';
import { ${type} } from '../src/index.ts';
import { start${type}Server } from './${name}-server.ts';

interface Served extends LlmSubject {
  readonly servers: ProtocolServer[];
}

// Each case is a test named by its id: those that fail are what is not written yet.
register<Served>({ describe, it }, llmCases, {
  name: '${type}',
  // Add 'thoughts', 'signatures', 'stop-sequences', 'request-model', 'images', 'answer-images', 'refuses-media' as far as it can do these.
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
