import { AgentTree, TholeError } from '@thole/core';
import {
  assertCount,
  assertDuration,
  assertName,
  invalidInput,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type {
  Agent,
  App,
  ArtifactService,
  Authenticator,
  MemoryService,
  ModelFactory,
  Plugin,
  ResumabilityConfig,
  Runtime,
  SessionService,
} from '@thole/core';
import { assertCompaction, assertContextCache } from '../compaction/check-compaction.ts';
import { assertPlugin } from '../hooks/assert-plugin.ts';
import type { Concurrency } from '../session/lease.ts';
import type { Durability } from './runner-deps.ts';

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

/** Options of `Runner`. The constructor throws `INVALID_INPUT` for an unknown option. */
export type RunnerOptions = RunnerSubject & {
  sessionService: SessionService;
  memoryService?: MemoryService | undefined;
  artifactService?: ArtifactService | undefined;
  /** Gets credentials of users for `context.requestCredential`. Default: none. */
  authenticator?: Authenticator | undefined;
  /** True to create a session that does not exist, with the id of the request. Default: false. */
  autoCreateSession?: boolean | undefined;
  /** Clock, ids, timers, logger and tracer. Default: `systemRuntime()`. */
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
  authenticator: true,
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
  resumability: true,
  onInDoubt: true,
  journalToolStarts: true,
  interruptTtlMs: true,
  onNewMessage: true,
});
const resumabilityNames = optionNames<ResumabilityConfig>({ isResumable: true });
const concurrencyNames = optionNames<Concurrency>({ policy: true, maxWaiting: true, waitMs: true });
const sessionMethods = ['createSession', 'getSession', 'listSessions', 'deleteSession', 'appendEvent'];
const artifactMethods = ['saveArtifact', 'loadArtifact', 'listArtifactKeys'];
const memoryMethods = ['addSessionToMemory', 'searchMemory'];

/** Members of an app that may be undefined. */
type OptionalPart = 'compaction' | 'contextCache' | 'costOf';
/** Members of an app that `Durability` contains. */
type DurabilityPart = 'resumability' | 'onInDoubt' | 'journalToolStarts' | 'interruptTtlMs' | 'onNewMessage';
/** An app whose defaults are filled in. */
export type CheckedApp = {
  [Name in Exclude<keyof App, OptionalPart | DurabilityPart>]-?: NonNullable<App[Name]>;
} & { [Name in OptionalPart]: App[Name] } & { durability: Durability };

/** Returns the app of the options. Throws `INVALID_INPUT` or `DUPLICATE_NAME` for wrong options. */
export function checkRunnerOptions(options: RunnerOptions): CheckedApp {
  rejectUnknownOptions(options, runnerNames, 'Runner');
  const { app, artifactService, memoryService, sessionService } = options;
  if (app !== undefined) rejectUnknownOptions(app, appNames, 'App');
  assertOneApp(options);
  const name = app ? app.name : options.appName;
  assertName(app ? 'app.name' : 'appName', name);
  assertMethods('sessionService', sessionService, sessionMethods);
  if (memoryService !== undefined) assertMethods('memoryService', memoryService, memoryMethods);
  if (options.authenticator !== undefined)
    assertMethods('authenticator', options.authenticator, ['loadCredential', 'beginSignIn', 'finishSignIn']);
  if (artifactService !== undefined) assertMethods('artifactService', artifactService, artifactMethods);
  if (options.maxCachedSessions !== undefined) assertCount('maxCachedSessions', options.maxCachedSessions);
  assertConcurrency(options.concurrency);
  const plugins = (app ? app.plugins : options.plugins) ?? [];
  assertPlugins(plugins);
  const models: unknown = (app ? app.models : options.models) ?? [];
  assertModelFactories(app ? 'app.models' : 'models', models);
  const { compaction, contextCache, costOf } = app ?? {};
  if (compaction !== undefined) assertCompaction(compaction);
  if (contextCache !== undefined) assertContextCache(contextCache);
  if (costOf !== undefined && typeof costOf !== 'function') throw invalidInput('app.costOf', 'a function', costOf);
  return {
    name,
    rootAgent: (app ? app.rootAgent : options.agent)!,
    plugins,
    models,
    suggestions: checkSuggestions(app?.suggestions),
    compaction,
    contextCache,
    costOf,
    durability: checkDurability(app),
  };
}

function assertModelFactories(name: string, models: unknown): asserts models is readonly ModelFactory[] {
  if (!Array.isArray(models)) throw invalidInput(name, 'an array of model factories', models);
  for (const [i, factory] of models.entries())
    assertMethods(`${name}[${i}]`, factory, ['supports', 'create'], 'a model factory');
}

function checkDurability(app: App | undefined): Durability {
  const { resumability, onInDoubt, journalToolStarts, interruptTtlMs, onNewMessage } = app ?? {};
  if (resumability !== undefined) {
    rejectUnknownOptions(resumability, resumabilityNames, 'app.resumability');
    assertBoolean('app.resumability.isResumable', resumability.isResumable);
  }
  assertBoolean('app.journalToolStarts', journalToolStarts);
  if (interruptTtlMs !== undefined) assertDuration('app.interruptTtlMs', interruptTtlMs);
  assertOneOf('app.onInDoubt', onInDoubt, ['tell-model', 'ask-person']);
  assertOneOf('app.onNewMessage', onNewMessage, ['keep', 'cancel']);
  return {
    isResumable: resumability?.isResumable ?? true,
    onInDoubt: onInDoubt ?? 'tell-model',
    journalToolStarts: journalToolStarts ?? false,
    interruptTtlMs,
    onNewMessage: onNewMessage ?? 'keep',
  };
}

function assertBoolean(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'boolean') throw invalidInput(name, 'a boolean', value);
}

function assertOneOf(name: string, value: unknown, values: readonly string[]): void {
  if (value === undefined || values.includes(value as string)) return;
  throw new TholeError('INVALID_INPUT', `${name} must be ${values.map((each) => `'${each}'`).join(' or ')}.`);
}

/** Throws `INVALID_INPUT` if the options have an app and one of its parts. */
function assertOneApp({ app, ...options }: RunnerOptions): void {
  const names = { appName: 'name', agent: 'rootAgent', plugins: 'plugins', models: 'models' } as const;
  for (const [name, ofApp] of Object.entries(names)) {
    if (app !== undefined && options[name as keyof typeof names] !== undefined)
      throw new TholeError('INVALID_INPUT', `Runner has app and ${name}. Set app.${ofApp} instead of ${name}.`);
  }
}

/** Returns the tree below an agent. Calls `check` of each agent, which throws for an invalid agent. */
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
  if (policy !== undefined && !['queue', 'reject', 'interrupt', 'join'].includes(policy as string)) {
    throw new TholeError('INVALID_INPUT', `concurrency.policy must be 'queue', 'reject', 'interrupt' or 'join'.`);
  }
  for (const [name, value] of Object.entries({ maxWaiting, waitMs })) {
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw invalidInput(`concurrency.${name}`, 'a number ≥ 0', value);
  }
}

function assertMethods(argument: string, value: unknown, methods: readonly string[], kind = 'a service'): void {
  if (typeof value !== 'object' || value === null) throw invalidInput(argument, kind, value);
  for (const method of methods) {
    if (typeof (value as { [name: string]: unknown })[method] !== 'function')
      throw new TholeError('INVALID_INPUT', `${argument} must have the method ${method}().`);
  }
}
