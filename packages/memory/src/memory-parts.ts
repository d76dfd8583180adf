import { TholeError } from '@thole/core';
import { assertCount, optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type {
  ArtifactService,
  Llm,
  MemoryService,
  Plugin,
  Runtime,
  SessionService,
  TimeZoneOption,
  Tool,
} from '@thole/core';
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

/** Options of `memoryParts`. All except `sessions` have defaults. */
export interface MemoryPartsOptions {
  sessions: SessionService;
  /** The runner's artifact service, to delete the artifacts of deleted sessions. Default: none. */
  artifacts?: ArtifactService | undefined;
  /** The memory service. Default: none, which is the same as `enabled: false`. */
  memory?: MemoryService | undefined;
  /** The model that extracts facts and writes profiles. Default: none; then turns are only stored and searched. */
  llm?: Llm | undefined;
  /** False to turn memory off: no memory service for the runner, and no tools. Default: true. */
  enabled?: boolean | undefined;
  /** True to add idle sessions to memory automatically. Default: true. */
  autoIngest?: boolean | undefined;
  /** Time in milliseconds without a run after which a session is added to memory. Default: 30 minutes. */
  idleMs?: number | undefined;
  /** True to keep sessions after they were added to memory. Default: false. */
  keep?: boolean | undefined;
  /** False to store facts and notes only, without the texts of turns. Needs `llm`. Default: true. */
  keepTurns?: boolean | undefined;
  /** Instructions for the model about what to remember. Default: `EXTRACTION_INSTRUCTIONS` of `@thole/memory/facts`. */
  extractionInstructions?: string | undefined;
  /** The user's time zone, for extracting facts. Pass it to the memory tools too. Default: UTC. */
  timeZone?: TimeZoneOption | undefined;
  /** True to quote the user's profile in requests. Needs `llm`. Default: true. */
  preload?: boolean | undefined;
  /** Maximum number of memories that `load_memory` returns, for `tools` as a function. Default: 5. */
  recallLimit?: number | undefined;
  /** Maximum number of lines of the profile. Default: 20. */
  preloadLimit?: number | undefined;
  /** Additional lines for the profile. Default: none. */
  sources?: readonly ProfileSource[] | undefined;
  /** Number of the user's messages in a prompt. Default: 30. */
  windowTurns?: number | undefined;
  /**
   * The memory tools (`load_memory`, `remember`, `forget`), or a function that creates them from the settings. Returned as `tools` if
   * memory is on. Default: none.
   */
  tools?: readonly Tool[] | ((settings: MemoryToolSettings) => readonly Tool[]) | undefined;
  /** Called for every failed consolidation. */
  onError?: ((failure: ConsolidationFailure) => void) | undefined;
  runtime?: Runtime | undefined;
}

/** Settings for the function that creates the memory tools. */
export interface MemoryToolSettings {
  /** For `loadMemoryTool({ limit })`. */
  recallLimit: number;
}

/** The parts for the runner, the agent and the front end. */
export interface MemoryParts {
  /** For the runner. Undefined if memory is off. */
  memoryService: MemoryService | undefined;
  /** For the runner. Closing the runner closes them. */
  plugins: readonly Plugin[];
  /** For the agent. Empty if memory is off. */
  tools: readonly Tool[];
  /** Call its `sweep` when the process starts. Undefined if memory is off. */
  consolidator: IdleConsolidator | undefined;
  /** Undefined without `llm` or with `preload: false`. */
  profiles: Profiles | undefined;
  /** For the front end. */
  commands: MemoryCommands;
}

const memoryPartsOptionNames = optionNames<MemoryPartsOptions>({
  sessions: true,
  artifacts: true,
  memory: true,
  llm: true,
  enabled: true,
  autoIngest: true,
  idleMs: true,
  keep: true,
  keepTurns: true,
  extractionInstructions: true,
  timeZone: true,
  preload: true,
  recallLimit: true,
  preloadLimit: true,
  sources: true,
  windowTurns: true,
  tools: true,
  onError: true,
  runtime: true,
});

/** Returns all parts of an app's memory, configured by one object. Each part can also be created separately. */
export function memoryParts(options: MemoryPartsOptions): MemoryParts {
  rejectUnknownOptions(options, memoryPartsOptionNames, 'memoryParts');
  const { sessions, memory, llm, enabled = true, autoIngest = true, preload = true, runtime } = options;
  assertSettings(options);
  const window = new SessionWindowPlugin({ turns: options.windowTurns ?? 30 });
  if (!enabled || !memory) {
    const commands = memoryCommands({ sessions, artifacts: options.artifacts, runtime });
    const withoutMemory = { memoryService: undefined, consolidator: undefined, profiles: undefined };
    return { ...withoutMemory, plugins: [window], tools: [], commands };
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
    throw new TholeError('INVALID_INPUT', 'keepTurns: false needs llm. Without llm nothing would be remembered.');
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
