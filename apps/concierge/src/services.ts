import { TholeError } from '@thole/core';
import type { CallOptions, EnvVars, MemoryService, Runtime, SessionRef, SessionService, Tool } from '@thole/core';
import { AutoIngestPlugin, memoryParts, MemoryRetention } from '@thole/memory';
import type { PrunableMemory } from '@thole/memory';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import type { ChosenModel } from './model.ts';
import { openDatabase } from './open-database.ts';

export const APP_NAME = 'hotel';

/** More than the tool's default of five, because many conversations mention rooms. */
const MEMORIES = 20;

/** Sessions, memory, memory tools and plugins for runner, agent and chat. */
export type Services = ReturnType<typeof makeServices>;

/** Opens sessions and memory in the database that the environment names. */
export async function openServices(p: { memory: boolean; model: ChosenModel; runtime: Runtime; env: EnvVars }) {
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
  /** Undefined if memory is off. */
  memoryService: (Required<MemoryService> & PrunableMemory) | undefined;
  model: ChosenModel;
  runtime: Runtime;
  /** Time zone of the hotel and its guests. */
  timeZone: string;
  /** Time in milliseconds after which memories are deleted. Default: never. */
  maxAgeMs?: number | undefined;
}) {
  const { sessionService, memoryService: memory, model, runtime, timeZone, maxAgeMs } = p;
  const parts = memoryParts({
    ...{ sessions: sessionService, memory, keep: true, runtime, timeZone },
    llm: model.isDemo ? undefined : model.llm,
    // Without facts, memory contains only messages, and AutoIngestPlugin adds them.
    autoIngest: !model.isDemo,
    tools: memoryToolsFor({ timeZone, withFacts: !model.isDemo }),
  });
  const { consolidator, profiles, tools } = parts;
  // memoryParts wraps the service and keeps its optional methods.
  const memoryService = parts.memoryService as Required<MemoryService> | undefined;
  const ingest = memoryService && new AutoIngestPlugin({ sessions: sessionService, memory: memoryService, runtime });
  const retention =
    memory && maxAgeMs !== undefined
      ? new MemoryRetention({ memory, appName: APP_NAME, maxAgeMs, runtime })
      : undefined;

  return {
    ...{ sessionService, memoryService, consolidator, profiles, tools, timeZone },
    /** The runner closes them. */
    plugins: [...parts.plugins, ingest, retention].filter((plugin) => plugin !== undefined),

    /** Extracts facts of conversations that ended while the program was not running, and starts retention. */
    begin(): void {
      // The next start repeats a failed sweep.
      void consolidator?.sweep({ appName: APP_NAME }).catch(() => {});
      retention?.start();
    },

    /** Resolves when all messages so far are in memory. */
    async settle(): Promise<void> {
      await ingest?.flush();
    },

    /**
     * Adds a conversation to memory and extracts facts if a language model is set. Returns the error if extraction
     * failed; it is retried later. Throws if memory cannot be written.
     */
    async keep({ signal, ...ref }: SessionRef & CallOptions): Promise<unknown> {
      const session = await sessionService.getSession(ref);
      if (!session || !memoryService || !consolidator) return undefined;
      // Messages first: the model may be slow or fail.
      await memoryService.addEventsToMemory({ ...ref, events: session.events });
      if (!consolidator.enabled) return undefined;
      try {
        await consolidator.consolidate({ ...ref, signal });
        return undefined;
      } catch (error) {
        consolidator.schedule(ref);
        return error;
      }
    },
  };
}

/** Returns the tools with which the concierge recalls and remembers. */
function memoryToolsFor(p: { timeZone: string; withFacts: boolean }): Tool[] {
  // The guest's words matter; the concierge's answers would only displace them. Facts have no author.
  const filter = p.withFacts ? undefined : { author: 'user' };
  return [
    // The agent asks for all wishes at once, so that each shares few words with the query.
    loadMemoryTool({ limit: MEMORIES, minRelevance: 0, filter, timeZone: p.timeZone }),
    preloadMemoryTool({ filter, timeZone: p.timeZone }),
    rememberTool(),
  ];
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
