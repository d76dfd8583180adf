import { AgentTree, TholeError } from '@thole/core';
import { assertName, invalidInput, rejectUnknownOptions } from '@thole/core/kit';
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
import { assertPlugin } from '../hooks/assert-plugin.ts';
import type { Concurrency } from '../session/lease.ts';

/** What a runner runs: an app, or its parts. */
export type RunnerSubject =
  | { app: App; appName?: undefined; agent?: undefined; plugins?: undefined; models?: undefined }
  | {
      app?: undefined;
      appName: string;
      agent: Agent;
      plugins?: readonly Plugin[] | undefined;
      models?: readonly ModelFactory[] | undefined;
    };

/** What a runner is made of: what it runs, the services it keeps things in, and how it runs. Options it does not know are `INVALID_INPUT`. */
export type RunnerOptions = RunnerSubject & {
  sessionService: SessionService;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  /** A session that is not there is made, with its id. */
  autoCreateSession?: boolean | undefined;
  runtime?: Runtime | undefined;
  concurrency?: Concurrency | undefined;
  /** How many sessions are kept in memory between turns (1,000); 0 reads every session anew. */
  hotSessions?: number | undefined;
};

const KNOWN = [
  'app',
  'appName',
  'agent',
  'plugins',
  'models',
  'sessionService',
  'memoryService',
  'artifactService',
  'autoCreateSession',
  'runtime',
  'concurrency',
  'hotSessions',
];
const KNOWN_CONCURRENCY = ['policy', 'maxWaiting', 'waitMs'];
const SESSION_METHODS = ['createSession', 'getSession', 'listSessions', 'deleteSession', 'appendEvent'];
const ARTIFACT_METHODS = ['saveArtifact', 'loadArtifact', 'listArtifactKeys'];
const MEMORY_METHODS = ['addSessionToMemory', 'searchMemory'];

/** Refuses (`INVALID_INPUT`, `DUPLICATE_NAME`) what no runner can be made of, and answers the app. */
export function checkRunnerOptions(options: RunnerOptions): Required<Omit<App, 'suggestions'>> {
  rejectUnknownOptions(options, KNOWN, 'Runner');
  const app = options.app;
  if (app !== undefined) rejectUnknownOptions(app, ['name', 'rootAgent', 'plugins', 'models', 'suggestions'], 'App');
  const name = app ? app.name : options.appName;
  assertName(app ? 'app.name' : 'appName', name);
  assertMethods('sessionService', options.sessionService, SESSION_METHODS);
  if (options.memoryService !== undefined) assertMethods('memoryService', options.memoryService, MEMORY_METHODS);
  if (options.artifactService !== undefined)
    assertMethods('artifactService', options.artifactService, ARTIFACT_METHODS);
  if (options.hotSessions !== undefined && !(Number.isSafeInteger(options.hotSessions) && options.hotSessions >= 0)) {
    throw invalidInput('hotSessions', 'an integer ≥ 0', options.hotSessions);
  }
  assertConcurrency(options.concurrency);
  const plugins = (app ? app.plugins : options.plugins) ?? [];
  assertPlugins(plugins);
  return {
    name,
    rootAgent: (app ? app.rootAgent : options.agent)!,
    plugins,
    models: (app ? app.models : options.models) ?? [],
  };
}

/** Returns the suggestions of an app, none by default. Throws `INVALID_INPUT` for anything but a list of strings that are not empty. */
export function checkedSuggestions(suggestions: readonly string[] = []): readonly string[] {
  if (!Array.isArray(suggestions)) throw invalidInput('app.suggestions', 'a list of strings', suggestions);
  const wrong = suggestions.findIndex((each) => typeof each !== 'string' || each.trim() === '');
  if (wrong >= 0) throw invalidInput(`app.suggestions[${wrong}]`, 'a string that is not empty', suggestions[wrong]);
  return [...(suggestions as readonly string[])];
}

/** The tree below a root, each agent checked against what the runner has. */
export function checkedTree(root: Agent, models: readonly ModelFactory[]): AgentTree {
  const tree = new AgentTree(root);
  for (const agent of tree) agent.check?.({ models, tree });
  return tree;
}

function assertPlugins(plugins: readonly Plugin[]): void {
  const names = new Set<string>();
  for (const plugin of plugins) {
    assertPlugin(plugin);
    if (names.has(plugin.name)) throw new TholeError('DUPLICATE_NAME', `Two plugins are called ${plugin.name}.`);
    names.add(plugin.name);
  }
}

function assertConcurrency(concurrency: Concurrency | undefined): void {
  if (concurrency === undefined) return;
  rejectUnknownOptions(concurrency, KNOWN_CONCURRENCY, 'concurrency');
  const { policy, maxWaiting, waitMs } = concurrency;
  if (policy !== undefined && !['queue', 'reject', 'interrupt'].includes(policy as string)) {
    throw new TholeError('INVALID_INPUT', `concurrency.policy must be 'queue', 'reject' or 'interrupt'.`);
  }
  for (const [name, value] of Object.entries({ maxWaiting, waitMs })) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalidInput(`concurrency.${name}`, 'a number from 0 on', value);
  }
}

function assertMethods(argument: string, value: unknown, methods: readonly string[]): void {
  if (typeof value !== 'object' || value === null) throw invalidInput(argument, 'a service', value);
  for (const method of methods) {
    if (typeof (value as { [name: string]: unknown })[method] !== 'function')
      throw new TholeError('INVALID_INPUT', `${argument} must have ${method}().`);
  }
}
