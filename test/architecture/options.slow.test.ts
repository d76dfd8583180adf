import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { entriesOf } from '../../scripts/exports.mjs';
import { packages, root } from './workspace.ts';

type Callable = (...args: unknown[]) => unknown;

const misspelt = { notAnOption: 1 };
const languageModel = { specificationVersion: 'v3', provider: 'p', modelId: 'm', doGenerate() {}, doStream() {} };
const embeddingModel = { specificationVersion: 'v3', provider: 'p', modelId: 'm', doEmbed() {} };
const redis = { evalsha() {} };
const stdio = { type: 'StdioConnectionParams', serverParams: { command: 'x' } };

/** Arguments of classes and functions that check something else before the names of their options. */
const ARGUMENTS: { readonly [name: string]: readonly unknown[] } = {
  AiSdkEmbedder: [embeddingModel, misspelt],
  AiSdkLlm: [languageModel, misspelt],
  DatabaseMemoryService: [{ dbUrl: 'sqlite:///:memory:', ...misspelt }],
  FileArtifactService: [{ rootDir: '/', ...misspelt }],
  MCPToolset: [stdio, undefined, misspelt],
  McpToolset: [stdio, undefined, misspelt],
  RedisArtifactStore: [redis, misspelt],
  RedisCredentialStore: [redis, misspelt],
  RedisMemoryService: [redis, misspelt],
  RedisMemoryStore: [redis, misspelt],
  RedisSessionStore: [redis, misspelt],
};

/** Public classes without options. The arguments of some are objects with values, such as the details of an error. */
const WITHOUT_OPTIONS = new Set([
  'AgentTree',
  'ClientError',
  'ClientToolset',
  'Conversation',
  'FileArtifactStore',
  'InMemoryArtifactStore',
  'InMemoryCredentialStore',
  'InMemoryDeliveryStore',
  'InMemoryMemoryStore',
  'InMemorySessionStore',
  'McpTool',
  'ProtocolServer',
  'ProviderConnection',
  'ScriptedLlm',
  'SimulatedProcess',
  'SimulatedWorld',
  'State',
  'TholeError',
  'ZonedTime',
]);

describe('Options of public classes and functions', () => {
  const values = new Map<string, Callable>();

  beforeAll(async () => {
    for (const { folder } of packages) {
      for (const [entry, file] of entriesOf(folder)) {
        // A subpath `kit` is not for outsiders. The functions of `cli` are the program and its parts.
        if (entry === './kit' || folder === 'cli') continue;
        const module = (await import(join(root, 'packages', folder, file))) as { [name: string]: unknown };
        for (const [name, value] of Object.entries(module))
          if (typeof value === 'function') values.set(name, value as Callable);
      }
    }
  });

  it('are rejected by each class if their names are unknown (contract 42)', () => {
    const classes = [...values].filter(([, value]) => isClass(value));
    const accepting = classes.filter(([name, value]) => {
      const attempts = ARGUMENTS[name] ? [ARGUMENTS[name]] : [[misspelt], [{}, misspelt], [{}, {}, misspelt]];
      return !attempts.some((args) => rejects(() => Reflect.construct(value, args)));
    });
    const names = accepting.map(([name]) => name).filter((name) => !WITHOUT_OPTIONS.has(name));
    expect(names, 'call rejectUnknownOptions, or add a class without options to WITHOUT_OPTIONS').toEqual([]);
  });

  it('are rejected by each function if their names are unknown (contract 42)', async () => {
    const accepting: string[] = [];
    for (const [name, value] of values) {
      const index = isClass(value) ? -1 : parametersOf(value).indexOf('options');
      if (index < 0 || WITHOUT_OPTIONS.has(name)) continue;
      const args = ARGUMENTS[name] ?? [...Array.from({ length: index }, () => ({})), misspelt];
      const problem = await Promise.resolve()
        .then(() => value(...args))
        .then(
          () => 'none',
          (error: Error) => error.message,
        );
      if (!problem.includes('notAnOption')) accepting.push(`${name}: ${problem}`);
    }
    expect(accepting, 'call rejectUnknownOptions').toEqual([]);
  });
});

function isClass(value: Callable): boolean {
  return /^class\b/.test(String(value));
}

/** Returns the names of a function's parameters, without defaults. */
function parametersOf(value: Callable): string[] {
  const list = /\(([^)]*)\)/.exec(String(value))?.[1] ?? '';
  return list.split(',').map((parameter) => parameter.split('=', 1)[0]!.trim());
}

function rejects(create: () => unknown): boolean {
  try {
    create();
    return false;
  } catch (error) {
    return (error as Error).message.includes('notAnOption');
  }
}
