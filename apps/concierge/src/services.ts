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

/** What runner, agent and chat take of sessions and memory. */
export interface Services {
  sessionService: SessionService;
  /** Undefined when the concierge is to remember nothing. */
  memoryService: Required<MemoryService> | undefined;
  /** For the runner, whose close closes them. */
  plugins: readonly Plugin[];
  /** For the agent. */
  tools: readonly Tool[];
  /** Of the house, and as far as anybody knows of its guests. */
  timeZone: string;
  consolidator: IdleConsolidator | undefined;
  profiles: Profiles | undefined;
  /** For the start of the process, in the background: facts of what went quiet while nothing ran, and an end to what is too old. */
  begin: () => void;
  /** Resolves when what was said until now is in memory. */
  settle: () => Promise<void>;
  /**
   * Takes a conversation into memory, and draws facts from it where there is a model for that. Answers what kept it from that, if
   * anything did: it is tried again later. Throws where memory cannot be written.
   */
  keep: (session: SessionRef & CallOptions) => Promise<unknown>;
}

/** Conversations and memory in the database that the environment names. */
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
 * Memory over these stores. What is said goes in when its run has ended. A true model makes facts of conversations that have
 * ended or gone quiet, and a profile of the facts; with the demo model there is plain recall. Conversations stay in their list.
 */
export function makeServices(p: {
  sessionService: SessionService;
  memoryService: (Required<MemoryService> & Partial<PrunableMemory>) | undefined;
  model: ChosenModel;
  runtime: Runtime;
  timeZone: string;
  /** How long memory is kept. */
  maxAgeMs?: number | undefined;
}): Services {
  const { sessionService, memoryService: memory, model, runtime, timeZone, maxAgeMs } = p;
  const parts = memoryParts({
    ...{ sessions: sessionService, memory, keep: true, runtime, timeZone },
    llm: model.isDemo ? undefined : model.llm,
    // Without facts, turns are all there is, and they are in memory already.
    autoIngest: !model.isDemo,
    tools: memoryToolsFor({ timeZone, withFacts: !model.isDemo }),
  });
  const { consolidator, profiles, tools } = parts;
  // What goes over a service with every ability has every ability.
  const memoryService = parts.memoryService as Required<MemoryService> | undefined;
  const ingest = memoryService && new AutoIngestPlugin({ sessions: sessionService, memory: memoryService, runtime });
  const retention =
    memory?.pruneMemories && maxAgeMs !== undefined
      ? new MemoryRetention({ memory: memory as PrunableMemory, appName: APP_NAME, maxAgeMs, runtime })
      : undefined;

  async function keep({ signal, ...ref }: SessionRef & CallOptions): Promise<unknown> {
    const session = await sessionService.getSession(ref);
    if (!session || !memoryService || !consolidator) return undefined;
    // Turns first: the model may take its time, or fail.
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
      // What a sweep could not do now is done at the next start.
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
