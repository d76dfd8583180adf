import { TholeError } from '@thole/core';
import type {
  CallOptions,
  EnvVars,
  MemoryService,
  Plugin,
  Runtime,
  SessionRef,
  SessionService,
  Tool,
} from '@thole/core';
import { AutoIngestPlugin, memoryParts, MemoryRetention } from '@thole/memory';
import type { IdleConsolidator, Profiles, PrunableMemory } from '@thole/memory';
import { memoryToolsFor } from './memory-tools.ts';
import type { ChosenModel } from './model.ts';
import { openDatabase } from './open-database.ts';

export const APP_NAME = 'hotel';

/** Sessions, memory and memory tools for runner, agent and chat. */
export interface Services {
  sessionService: SessionService;
  /** Undefined if memory is off. */
  memoryService: Required<MemoryService> | undefined;
  /** For the runner, which closes them. */
  plugins: readonly Plugin[];
  /** For the agent. */
  tools: readonly Tool[];
  /** Time zone of the hotel, also used for its guests. */
  timeZone: string;
  consolidator: IdleConsolidator | undefined;
  profiles: Profiles | undefined;
  /**
   * Call at the start: extracts facts of conversations that ended while the program was not running, and starts
   * retention.
   */
  begin: () => void;
  /** Resolves when all messages so far are in memory. */
  settle: () => Promise<void>;
  /**
   * Adds a conversation to memory and extracts facts if there is a model for it. Returns why extraction failed, if
   * it did; it is retried later. Throws if memory cannot be written.
   */
  keep: (session: SessionRef & CallOptions) => Promise<unknown>;
}

/** Opens sessions and memory in the database that the environment names. */
export async function openServices(p: {
  memory: boolean;
  model: ChosenModel;
  runtime: Runtime;
  env: EnvVars;
}): Promise<{ services: Services; close: () => Promise<void> }> {
  const { memory, model, runtime, env } = p;
  const maxAgeMs = maxAgeIn(env);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { sessionService, memoryService, close } = await openDatabase({ runtime, env });
  const services = makeServices({
    ...{ sessionService, model, runtime, timeZone, maxAgeMs },
    memoryService: memory ? memoryService : undefined,
  });
  return { services, close };
}

/**
 * Creates memory over these stores. Messages are added when their run has ended. A language model extracts facts
 * from conversations that ended or became quiet, and a profile from the facts; the demo model only recalls messages.
 * Conversations stay in the list.
 */
export function makeServices(p: {
  sessionService: SessionService;
  memoryService: (Required<MemoryService> & Partial<PrunableMemory>) | undefined;
  model: ChosenModel;
  runtime: Runtime;
  timeZone: string;
  /** Time after which memories are deleted, in milliseconds. Default: never. */
  maxAgeMs?: number | undefined;
}): Services {
  const { sessionService, memoryService: memory, model, runtime, timeZone, maxAgeMs } = p;
  const parts = memoryParts({
    ...{ sessions: sessionService, memory, keep: true, runtime, timeZone },
    llm: model.isDemo ? undefined : model.llm,
    // Without facts, memory holds turns only, and they are added already.
    autoIngest: !model.isDemo,
    tools: memoryToolsFor({ timeZone, withFacts: !model.isDemo }),
  });
  const { consolidator, profiles, tools } = parts;
  // A service over one with every ability has every ability.
  const memoryService = parts.memoryService as Required<MemoryService> | undefined;
  const ingest = memoryService && new AutoIngestPlugin({ sessions: sessionService, memory: memoryService, runtime });
  const retention =
    memory?.pruneMemories && maxAgeMs !== undefined
      ? new MemoryRetention({ memory: memory as PrunableMemory, appName: APP_NAME, maxAgeMs, runtime })
      : undefined;

  async function keep({ signal, ...ref }: SessionRef & CallOptions): Promise<unknown> {
    const session = await sessionService.getSession(ref);
    if (!session || !memoryService || !consolidator) return undefined;
    // Turns first: the model may be slow or fail.
    await memoryService.addEventsToMemory({ ...ref, events: session.events });
    if (!consolidator.enabled) return undefined;
    try {
      await consolidator.consolidate({ ...ref, signal });
      return undefined;
    } catch (error) {
      consolidator.schedule(ref);
      return error;
    }
  }

  return {
    ...{ sessionService, memoryService, consolidator, profiles, tools, timeZone, keep },
    plugins: [...parts.plugins, ...(ingest ? [ingest] : []), ...(retention ? [retention] : [])],
    begin() {
      // The next start repeats a failed sweep.
      void consolidator?.sweep({ appName: APP_NAME }).catch(() => {});
      retention?.start();
    },
    settle: async () => ingest?.flush(),
  };
}

const DAY_MS = 86_400_000;

function maxAgeIn(env: EnvVars): number | undefined {
  const text = env['THOLE_MEMORY_DAYS']?.trim();
  if (!text) return undefined;
  const days = Number(text);
  if (!Number.isFinite(days) || days <= 0)
    throw new TholeError('INVALID_INPUT', 'THOLE_MEMORY_DAYS must be a number of days above 0.');
  return days * DAY_MS;
}
