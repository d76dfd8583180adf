import { AgentTree, TholeError } from '@thole/core';
import { assertCount, assertName, invalidInput, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type {
  Agent,
  App,
  ArtifactService,
  MemoryService,
  ModelFactory,
  Plugin,
  Runtime,
  SessionService,
} from '@thole/core';
import { assertCompaction, assertContextCache } from '../compaction/check-compaction.ts';
import { assertPlugin } from '../hooks/assert-plugin.ts';
import type { Concurrency } from '../session/lease.ts';

/** The agent of a runner, with its plugins and models: an `App`, or the parts of an app. */
export type RunnerSubject =
  | { app: App; appName?: undefined; agent?: undefined; plugins?: undefined; models?: undefined }
  | {
      app?: undefined;
      appName: string;
      agent: Agent;
      plugins?: readonly Plugin[] | undefined;
      models?: readonly ModelFactory[] | undefined;
    };

/** Options of `Runner`. An unknown option is `INVALID_INPUT`. */
export type RunnerOptions = RunnerSubject & {
  sessionService: SessionService;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  /** True to create a session that does not exist, with the id of the request. Default: false. */
  autoCreateSession?: boolean | undefined;
  runtime?: Runtime | undefined;
  concurrency?: Concurrency | undefined;
  /** Maximum number of sessions that are cached between runs. 0 reads the session in each run. Default: 1,000. */
  maxCachedSessions?: number | undefined;
};

const runnerNames = optionNames<RunnerOptions>({
  app: true,
  appName: true,
  agent: true,
  plugins: true,
  models: true,
  sessionService: true,
  memoryService: true,
  artifactService: true,
  autoCreateSession: true,
  runtime: true,
  concurrency: true,
  maxCachedSessions: true,
});
const appNames = optionNames<App>({
  name: true,
  rootAgent: true,
  plugins: true,
  models: true,
  suggestions: true,
  compaction: true,
  contextCache: true,
  costOf: true,
});
const concurrencyNames = optionNames<Concurrency>({ policy: true, maxWaiting: true, waitMs: true });
const sessionMethods = ['createSession', 'getSession', 'listSessions', 'deleteSession', 'appendEvent'];
const artifactMethods = ['saveArtifact', 'loadArtifact', 'listArtifactKeys'];
const memoryMethods = ['addSessionToMemory', 'searchMemory'];

/** Members of an app that may be undefined. */
type OptionalPart = 'compaction' | 'contextCache' | 'costOf';
/** An app without missing parts. */
export type CheckedApp = { [Name in Exclude<keyof App, OptionalPart>]-?: NonNullable<App[Name]> } & {
  [Name in OptionalPart]: App[Name];
};

/** Returns the app of the options. Throws `INVALID_INPUT` or `DUPLICATE_NAME` for wrong options. */
export function checkRunnerOptions(options: RunnerOptions): CheckedApp {
  rejectUnknownOptions(options, runnerNames, 'Runner');
  const { app, artifactService, memoryService, sessionService } = options;
  if (app !== undefined) rejectUnknownOptions(app, appNames, 'App');
  const name = app ? app.name : options.appName;
  assertName(app ? 'app.name' : 'appName', name);
  assertMethods('sessionService', sessionService, sessionMethods);
  if (memoryService !== undefined) assertMethods('memoryService', memoryService, memoryMethods);
  if (artifactService !== undefined) assertMethods('artifactService', artifactService, artifactMethods);
  if (options.maxCachedSessions !== undefined) assertCount('maxCachedSessions', options.maxCachedSessions);
  assertConcurrency(options.concurrency);
  const plugins = (app ? app.plugins : options.plugins) ?? [];
  assertPlugins(plugins);
  const { compaction, contextCache, costOf } = app ?? {};
  if (compaction !== undefined) assertCompaction(compaction);
  if (contextCache !== undefined) assertContextCache(contextCache);
  if (costOf !== undefined && typeof costOf !== 'function') throw invalidInput('app.costOf', 'a function', costOf);
  return {
    name,
    rootAgent: (app ? app.rootAgent : options.agent)!,
    plugins,
    models: (app ? app.models : options.models) ?? [],
    suggestions: checkSuggestions(app?.suggestions),
    compaction,
    contextCache,
    costOf,
  };
}

/** Returns the tree of an agent, after each agent has checked itself against the models. */
export function createAgentTree(root: Agent, models: readonly ModelFactory[]): AgentTree {
  const tree = new AgentTree(root);
  for (const agent of tree) agent.check?.({ models, tree });
  return tree;
}

function checkSuggestions(suggestions: readonly string[] = []): readonly string[] {
  if (!Array.isArray(suggestions)) throw invalidInput('app.suggestions', 'an array of strings', suggestions);
  const wrong = suggestions.findIndex((each) => typeof each !== 'string' || each.trim() === '');
  if (wrong >= 0) throw invalidInput(`app.suggestions[${wrong}]`, 'a string that is not empty', suggestions[wrong]);
  return [...(suggestions as readonly string[])];
}

function assertPlugins(plugins: readonly Plugin[]): void {
  const names = new Set<string>();
  for (const plugin of plugins) {
    assertPlugin(plugin);
    if (names.has(plugin.name)) {
      throw new TholeError('DUPLICATE_NAME', `Two plugins have the name "${plugin.name}". Rename one of them.`);
    }
    names.add(plugin.name);
  }
}

function assertConcurrency(concurrency: Concurrency | undefined): void {
  if (concurrency === undefined) return;
  rejectUnknownOptions(concurrency, concurrencyNames, 'concurrency');
  const { policy, maxWaiting, waitMs } = concurrency;
  if (policy !== undefined && !['queue', 'reject', 'interrupt'].includes(policy as string)) {
    throw new TholeError('INVALID_INPUT', `concurrency.policy must be 'queue', 'reject' or 'interrupt'.`);
  }
  for (const [name, value] of Object.entries({ maxWaiting, waitMs })) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalidInput(`concurrency.${name}`, 'a number ≥ 0', value);
  }
}

function assertMethods(argument: string, value: unknown, methods: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw invalidInput(argument, 'a service', value);
  for (const method of methods) {
    if (typeof (value as { [name: string]: unknown })[method] !== 'function')
      throw new TholeError('INVALID_INPUT', `${argument} must have the method ${method}().`);
  }
}
