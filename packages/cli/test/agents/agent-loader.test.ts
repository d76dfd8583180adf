import { PassThrough } from 'node:stream';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemRuntime, textOf } from '@thole/core';
import { InMemoryArtifactService, InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { Runner } from '@thole/runner';
import type { Runner as RunnerType } from '@thole/runner';
import { describe, expect, it, onTestFinished } from 'vitest';
import { AgentLoader } from '../../src/agents/agent-loader.ts';
import { findAgents } from '../../src/agents/find-agents.ts';
import { agentText } from '../support/agent-text.ts';
import { importNatively } from '../support/import-natively.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const runtime = systemRuntime();

async function createLoader(cwd: string, path = '.', importModule = importNatively): Promise<AgentLoader> {
  const services = {
    sessionService: new InMemorySessionService(),
    artifactService: new InMemoryArtifactService(),
    memoryService: new InMemoryMemoryService(),
  };
  const loader = new AgentLoader({
    host: { cwd, env: {}, errors: new PassThrough(), importModule },
    location: await findAgents(cwd, path),
    services: { get: async () => services, close: async () => {} },
    runtime,
  });
  onTestFinished(() => loader.close());
  return loader;
}

async function load(loader: AgentLoader): Promise<RunnerType> {
  const { agents } = await loader.find();
  const loaded = await loader.load(agents[0]!);
  return loaded!.runner;
}

async function answer(runner: RunnerType): Promise<string> {
  const { id } = await runner.sessionService.createSession({ appName: runner.appName, userId: 'u' });
  const { events } = await runner.runToCompletion({ userId: 'u', sessionId: id, newMessage: 'Hi' });
  return textOf(events.at(-1)!.content);
}

describe('AgentLoader.load', () => {
  it('loads TypeScript without a build, also with .js imports, JSON and CommonJS', async () => {
    const cwd = temporaryFolder({
      'hello/agent.ts': agentText(
        'hello',
        'said + greeting + more + data.mark + old.mark',
        `import { greeting, type Greeting } from './greeting.js';
         import { more } from './lib';
         import data from './data.json' with { type: 'json' };
         import old from './old.cjs';
         const typed: Greeting = greeting;`,
      ),
      'hello/greeting.ts': `export type Greeting = string; export const greeting: Greeting = ' there';`,
      'hello/lib/index.ts': `export const more = '!';`,
      'hello/data.json': '{"mark": "?"}',
      'hello/old.cjs': `module.exports = { mark: '.' };`,
    });
    const runner = await load(await createLoader(cwd));
    expect(runner.appName).toBe('hello');
    expect(await answer(runner)).toBe('Hi there!?.');
  });

  it('loads a file as an ES module, regardless of package.json', async () => {
    const cwd = temporaryFolder({ 'agent.ts': agentText('hello', '1'), 'package.json': '{"type": "commonjs"}' });
    expect(await answer(await load(await createLoader(cwd)))).toBe('1');
  });

  it('supports model names of all providers, with the key in the agent’s .env', async () => {
    const cwd = temporaryFolder({ 'agent.ts': agentText('hello', '1'), '.env': 'OPENAI_API_KEY=of-the-agent' });
    const names: string[] = [];
    const checked = {
      rootAgent: {
        name: 'hello',
        async *runAsync() {},
        check({
          models,
        }: {
          models: readonly { supports(name: string): boolean; create(name: string): { model: string } }[];
        }) {
          for (const name of [
            'gemini-2.5-flash',
            'gemini/any',
            'gpt-5.5',
            'o3-mini',
            'openai/any',
            'claude-5',
            'anthropic/any',
          ])
            if (models.some((each) => each.supports(name))) names.push(name);
          names.push(models.find((each) => each.supports('gpt-5.5'))!.create('gpt-5.5').model);
        },
      },
    };
    await load(await createLoader(cwd, '.', async () => checked));
    expect(names).toEqual([
      ...['gemini-2.5-flash', 'gemini/any', 'gpt-5.5', 'o3-mini', 'openai/any', 'claude-5', 'anthropic/any'],
      'gpt-5.5',
    ]);
  });

  it('has all provider packages as dependencies or optional peers', () => {
    const packages = join(import.meta.dirname, '../../..');
    const providers = readdirSync(packages).filter((name) => name.startsWith('provider-'));
    const manifest = JSON.parse(readFileSync(join(packages, 'cli/package.json'), 'utf8')) as {
      dependencies: { [name: string]: string };
      peerDependencies: { [name: string]: string };
    };
    // Models of the AI SDK are objects, which the agent imports itself.
    const providerPackages = providers.filter((name) => name !== 'provider-ai-sdk').map((name) => `@thole/${name}`);
    expect(providerPackages.length).toBeGreaterThan(1);
    const known = { ...manifest.dependencies, ...manifest.peerDependencies };
    expect(
      providerPackages.filter((name) => !(name in known)),
      'add an optional peer, and a factory next to packages/cli/src/agents/anthropic-factory.ts',
    ).toEqual([]);
  });

  it('returns an exported runner with its own services', async () => {
    const cwd = temporaryFolder({ 'agent.ts': agentText('hello', '1') });
    const agent = { name: 'a', async *runAsync() {} };
    const runner = new Runner({ appName: 'own', agent, sessionService: new InMemorySessionService() });
    expect(await load(await createLoader(cwd, '.', async () => ({ runner })))).toBe(runner);
  });

  it('returns undefined for a module with isGuess that exports no agent', async () => {
    const cwd = temporaryFolder({ 'guess.ts': 'export default { color: 1 };' });
    const loader = await createLoader(cwd);
    expect(await loader.load((await loader.find()).agents[0]!)).toBeUndefined();
  });
});

describe('AgentLoader.invalidate', () => {
  it('reloads all modules of the folder except installed packages', async () => {
    const cwd = temporaryFolder({
      'agent.ts': agentText('hello', 'a + lib', `import { a } from './a.ts'; import lib from 'lib';`),
      'a.ts': `export { b as a } from './deep/b.ts';`,
      'deep/b.ts': `export const b = 'old';`,
      'node_modules/lib/package.json': '{"type": "module", "exports": "./index.js"}',
      'node_modules/lib/index.js': `globalThis.tholeCliTestLoads = (globalThis.tholeCliTestLoads ?? 0) + 1; export default globalThis.tholeCliTestLoads;`,
    });
    const loader = await createLoader(cwd);
    const oldRunner = await load(loader);
    expect(await answer(oldRunner)).toBe('old1');
    writeFiles(cwd, { 'deep/b.ts': `export const b = 'new';` });
    loader.invalidate();
    expect(await answer(await load(loader))).toBe('new1');
    expect(await answer(oldRunner)).toBe('old1');
  });

  it('resolves a dynamic import of an old module to the old version', async () => {
    const cwd = temporaryFolder({
      'agent.ts': agentText(
        'hello',
        `(await import('./late.ts')).late + ' ' + early`,
        `import { early } from './early.ts';`,
      ),
      'early.ts': `export const early = 1;`,
      'late.ts': `import { early } from './early.ts'; export const late = early;`,
    });
    const loader = await createLoader(cwd);
    const oldRunner = await load(loader);
    writeFiles(cwd, { 'early.ts': `export const early = 2;` });
    loader.invalidate();
    expect(await answer(await load(loader))).toBe('2 2');
    expect(await answer(oldRunner)).toBe('1 1');
  });

  it('finds added agents, and does not find removed agents', async () => {
    const cwd = temporaryFolder({ 'a/agent.ts': agentText('a', '1') });
    const loader = await createLoader(cwd);
    writeFiles(cwd, { 'b/agent.ts': agentText('b', '1') });
    rmSync(join(cwd, 'a'), { recursive: true });
    expect((await loader.find()).agents.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('AgentLoader.load with an invalid module', () => {
  it.each([
    [
      'enum Color { Red }',
      /^x\/agent\.ts:1: TypeScript enum is not supported in strip-only mode\. Agents run without a build/,
    ],
    [
      '\nclass A { constructor(private b: number) {} }',
      /^x\/agent\.ts:2: TypeScript parameter property is not supported/,
    ],
    ['@decorator class A {}', /^x\/agent\.ts or a module that it imports: Invalid syntax: .* If it is a decorator/],
    ["import './wrong.ts';", /^x\/agent\.ts or a module that it imports: Invalid syntax: Identifier 'a'/],
    ["import './wrong.cjs';", /^x\/wrong\.cjs:2: Invalid syntax: Identifier 'a'/],
    ['const a: = 3;', /^x\/agent\.ts:1: Invalid TypeScript: Unexpected token/],
    [
      "import { Shape } from './shape.ts';",
      /^x\/agent\.ts:1: The requested module '\.\/shape\.ts' does not provide an export named 'Shape'\. If it is a type, import it with "import type"\.$/,
    ],
    [
      "import nothing from 'not-installed-here';",
      /^x\/agent\.ts: Cannot find package 'not-installed-here'.* Run npm install/,
    ],
    ["import './gone.ts';", /^x\/agent\.ts: Cannot find module /],
    [
      "import data from './data.json';",
      /^x\/agent\.ts: Module ".*\/x\/data\.json" needs an import attribute of "type: json"\. Write it like this: .* with \{ type: 'json' \}\.$/,
    ],
    ["\n\nthrow new Error('No key');", /^x\/agent\.ts:3: No key\.$/],
    [
      "throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });",
      /^x\/agent\.ts:1: fetch failed\. < caused by: Error: connect ECONNREFUSED$/,
    ],
    ["throw Object.assign(new Error(''), { code: 'ECONNREFUSED' });", /^x\/agent\.ts:1: Error: ECONNREFUSED\.$/],
    ["throw 'a string';", /^x\/agent\.ts: a string\.$/],
    [
      'export const other = 1;',
      /^x\/agent\.ts: The module must export rootAgent, app or runner, or have an agent as its default export\.$/,
    ],
    ['export const rootAgent = () => 1;', /^x\/agent\.ts: The export rootAgent must be an agent, got a function\.$/],
    [
      'export const app = {};',
      /^x\/agent\.ts: The export app must be an App with name and rootAgent, got an object\.$/,
    ],
    [
      "export const rootAgent = { name: 'not a name', async *runAsync() {} };",
      /^x\/agent\.ts: .*not a name|^x\/agent\.ts: .*name/,
    ],
  ])('names the file, the line and the correction: %j', async (code, sentence) => {
    const others = { 'x/shape.ts': 'export interface Shape {}', 'x/data.json': '{}' };
    const wrong = 'const a = 1;\nconst a = 2;';
    const cwd = temporaryFolder({ 'x/agent.ts': code, ...others, 'x/wrong.ts': wrong, 'x/wrong.cjs': wrong });
    await expect(load(await createLoader(cwd))).rejects.toThrow(sentence);
  });

  it('names the line of a file in a folder with parentheses and spaces', async () => {
    const cwd = temporaryFolder({ 'my agent (1)/agent.ts': "\n\nthrow new Error('No key');" });
    await expect(load(await createLoader(cwd))).rejects.toThrow('my agent (1)/agent.ts:3: No key.');
  });

  it('names an unknown model', async () => {
    const cwd = temporaryFolder({ 'agent.ts': '' });
    const { LlmAgent } = await import('@thole/runner');
    const module = { rootAgent: new LlmAgent({ name: 'a', model: 'mistral-9' }) };
    await expect(load(await createLoader(cwd, '.', async () => module))).rejects.toMatchObject({
      code: 'MODEL_UNKNOWN',
      message: expect.stringMatching(/^agent\.ts: .*mistral-9.*gemini-\*.*gpt-\*/),
    });
  });
});
