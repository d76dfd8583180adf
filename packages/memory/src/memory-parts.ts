import { TholeError } from '@thole/core';
import { assertCount, rejectUnknownOptions } from '@thole/core/kit';
import type { ArtifactService, Llm, MemoryService, Plugin, Runtime, SessionService, Tool } from '@thole/core';
import type { UsersTimeZone } from './user-time-zone.ts';
import { memoryCommands } from './commands/memory-commands.ts';
import type { MemoryCommands } from './commands/memory-commands.ts';
import type { ConsolidationFailure } from './consolidate/consolidator-options.ts';
import { IdleConsolidator } from './consolidate/idle-consolidator.ts';
import { profile } from './profile/profile.ts';
import { ProfilePlugin } from './profile/profile-plugin.ts';
import type { Profiles } from './profile/profile.ts';
import type { ProfileSource } from './profile/profile-options.ts';
import { FactsWithProfiles } from './facts-with-profiles.ts';
import { SessionWindowPlugin } from './window/session-window-plugin.ts';

/** The settings of an app's memory. Every one has a default. */
export interface MemoryPartsOptions {
  sessions: SessionService;
  /** The runner's, where there is one: what a session has saved goes with it. */
  artifacts?: ArtifactService | undefined;
  /** Where memory is kept. Without one nothing is, as with `enabled: false`. */
  memory?: MemoryService | undefined;
  /** Makes facts and profiles; without it there is plain recall. */
  llm?: Llm | undefined;
  /** Whether there is memory at all (true). Off: sessions alone, no service, no tools. */
  enabled?: boolean | undefined;
  /** Whether quiet sessions go into memory by themselves (true). */
  autoIngest?: boolean | undefined;
  /** How long a session must be quiet, in milliseconds (30 minutes). */
  idleMs?: number | undefined;
  /** Whether consolidated sessions stay (false). */
  keep?: boolean | undefined;
  /** False: facts and notes only, as `FactMemoryService` says. Needs `llm`. Default: true. */
  keepTurns?: boolean | undefined;
  /** What is worth keeping, in place of the default. */
  extractionInstructions?: string | undefined;
  /** In which the model that finds facts is told when things were said (UTC). Give it to the tools of memory too. */
  timeZone?: UsersTimeZone | undefined;
  /** Whether requests quote a profile (true). */
  preload?: boolean | undefined;
  /** Maximum number of memories that `load_memory` returns, for `tools` as a function. Default: 5. */
  recallLimit?: number | undefined;
  /** Most lines of the profile (20). */
  preloadLimit?: number | undefined;
  sources?: readonly ProfileSource[] | undefined;
  /** How many of the user's turns a prompt is made of (30). */
  windowTurns?: number | undefined;
  /**
   * The memory tools (`load_memory`, `remember`, `forget`), or a function that makes them from the settings. Returned as `tools` if
   * memory is on.
   */
  tools?: readonly Tool[] | ((settings: MemoryToolSettings) => readonly Tool[]) | undefined;
  onError?: ((failure: ConsolidationFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}

/** Settings for the function that makes the memory tools. */
export interface MemoryToolSettings {
  /** For `loadMemoryTool({ limit })`. */
  recallLimit: number;
}

/** What goes into the runner, the agent and the front end. */
export interface MemoryParts {
  /** For the runner; undefined where memory is off. */
  memoryService: MemoryService | undefined;
  /** For the runner, whose `close` closes them. */
  plugins: readonly Plugin[];
  /** For the agent; none where memory is off. */
  tools: readonly Tool[];
  /** Call its `sweep` when the process starts. It does nothing by itself where memory or `autoIngest` is off. */
  consolidator: IdleConsolidator | undefined;
  profiles: Profiles | undefined;
  commands: MemoryCommands;
}

const OPTIONS = [
  ...(['sessions', 'memory', 'llm', 'enabled', 'autoIngest', 'idleMs', 'keep', 'extractionInstructions'] as const),
  ...(['timeZone', 'keepTurns', 'recallLimit'] as const),
  ...(['artifacts', 'preload', 'preloadLimit', 'sources', 'windowTurns', 'tools', 'onError', 'runtime'] as const),
] satisfies readonly (keyof MemoryPartsOptions)[];

/** Everything of this package put together by one object of settings. Each part may as well be made by itself. */
export function memoryParts(options: MemoryPartsOptions): MemoryParts {
  rejectUnknownOptions(options, OPTIONS, 'memoryParts');
  const { sessions, memory, llm, enabled = true, autoIngest = true, preload = true, runtime } = options;
  assertSettings(options);
  const window = new SessionWindowPlugin({ turns: options.windowTurns ?? 30 });
  if (!enabled || !memory) {
    const commands = memoryCommands({ sessions, artifacts: options.artifacts, runtime });
    const nothing = { memoryService: undefined, consolidator: undefined, profiles: undefined };
    return { ...nothing, plugins: [window], tools: [], commands };
  }
  const { extractionInstructions: instructions, keepTurns, timeZone } = options;
  const { leasing } = sessions;
  const facts = llm && new FactsWithProfiles({ memory, llm, instructions, keepTurns, timeZone, leasing, runtime });
  const service = facts ?? memory;
  const { idleMs, keep, onError } = options;
  const consolidator = new IdleConsolidator({
    sessions,
    memory: service,
    artifacts: options.artifacts,
    idleMs,
    keep,
    onError,
    runtime,
    enabled: autoIngest,
  });
  const { preloadLimit: limit, sources } = options;
  const profiles = llm && preload ? profile({ memory: service, llm, limit, sources, runtime }) : undefined;
  if (facts) facts.profiles = profiles;
  const plugins = [window, consolidator, ...(profiles ? [new ProfilePlugin({ profiles })] : [])];
  const commands = memoryCommands({
    memory: service,
    sessions,
    consolidator,
    artifacts: options.artifacts,
    profiles,
    runtime,
  });
  return { memoryService: service, plugins, tools: toolsOf(options), consolidator, profiles, commands };
}

function assertSettings({ llm, keepTurns, recallLimit, tools }: MemoryPartsOptions): void {
  if (keepTurns === false && !llm)
    throw new TholeError('INVALID_INPUT', 'keepTurns: false needs llm: without facts nothing would be remembered.');
  if (recallLimit === undefined) return;
  assertCount('recallLimit', recallLimit, 1);
  if (typeof tools !== 'function')
    throw new TholeError(
      'INVALID_INPUT',
      'recallLimit needs tools to be a function: ({ recallLimit }) => [loadMemoryTool({ limit: recallLimit })].',
    );
}

function toolsOf({ tools = [], recallLimit = 5 }: MemoryPartsOptions): readonly Tool[] {
  return typeof tools === 'function' ? tools({ recallLimit }) : tools;
}
