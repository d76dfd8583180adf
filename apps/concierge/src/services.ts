import { TholeError } from '@thole/core';
import type {
  ArtifactService,
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
import type { PrunableMemory } from '@thole/memory';
import { SaveFilesAsArtifactsPlugin } from '@thole/runner';
import { loadMemoryTool, preloadMemoryTool, rememberTool } from '@thole/tools';
import type { ChosenModel } from './model.ts';
import { openDatabase } from './open-database.ts';

export const APP_NAME = 'hotel';

/** Limit of load_memory. More than the default of five, because many conversations mention rooms. */
const MEMORY_LIMIT = 20;

/** Sessions, memory, memory tools and plugins for runner, agent and chat. */
export type Services = ReturnType<typeof createServices>;

/** Opens the services that the environment names. Logs the features that the memory service does not support. */
export async function openServices(p: { memory: boolean; model: ChosenModel; runtime: Runtime; env: EnvVars }) {
  const { memory, model, runtime, env } = p;
  const maxAgeMs = readMaxAge(env);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const { sessionService, memoryService, artifactService, close } = await openDatabase({ runtime, env });
  const services = createServices({
    ...{ sessionService, artifactService, model, runtime, timeZone, maxAgeMs },
    memoryService: memory ? memoryService : undefined,
  });
  const { unsupported } = services;
  if (unsupported.length > 0) runtime.logger.warn(`The memory service does not support: ${unsupported.join(', ')}.`);
  return { services, close };
}

/**
 * Creates memory, its tools and its plugins over these services. Messages are added when their run has ended. A language
 * model extracts facts from conversations that ended or became quiet, and a profile from the facts. With the demo model,
 * memory contains only messages. Ended conversations remain in the list.
 */
export function createServices(p: {
  sessionService: SessionService;
  /** Undefined if memory is off. */
  memoryService: MemoryService | undefined;
  /** Stores the files that guests send. Default: none. */
  artifactService?: ArtifactService | undefined;
  model: ChosenModel;
  runtime: Runtime;
  /** Time zone of the hotel and its guests. */
  timeZone: string;
  /** Time in milliseconds after which memories are deleted. Default: never. */
  maxAgeMs?: number | undefined;
}) {
  const { sessionService, artifactService, memoryService: memory, model, runtime, timeZone, maxAgeMs } = p;
  // Services such as Memory Bank extract facts themselves.
  const extractsFacts = !model.isDemo && isComplete(memory);
  const addsMessages = memory?.addEventsToMemory !== undefined;
  const parts = memoryParts({
    ...{ sessions: sessionService, artifacts: artifactService, memory, keep: true, runtime, timeZone },
    llm: extractsFacts ? model.llm : undefined,
    // Without facts, memory contains only messages, and AutoIngestPlugin adds them if the service has a method for it.
    autoIngest: extractsFacts || !addsMessages,
    tools: memory && memoryToolsFor({ memory, timeZone, extractsFacts }),
  });
  const { commands, consolidator, memoryService, tools } = parts;
  const ingest =
    memoryService && addsMessages
      ? new AutoIngestPlugin({ sessions: sessionService, memory: memoryService, runtime })
      : undefined;
  const retention =
    isPrunable(memory) && maxAgeMs !== undefined
      ? new MemoryRetention({ memory, appName: APP_NAME, maxAgeMs, runtime })
      : undefined;

  return {
    ...{ sessionService, memoryService, artifactService, commands, consolidator, tools, timeZone },
    /** Plugins of the runner, which closes them. */
    plugins: [...parts.plugins, ingest, retention, artifactService && new SaveFilesAsArtifactsPlugin()].filter(
      (plugin): plugin is Plugin => plugin !== undefined,
    ),
    /** The features that the memory service does not support, for the log. */
    unsupported: memory
      ? unsupportedBy(memory, { withFacts: !model.isDemo, withRetention: maxAgeMs !== undefined })
      : [],

    /** Extracts facts of conversations that ended while the program was not running, and starts retention. */
    start(): void {
      // A failed sweep is ignored: the next start repeats it.
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
    async addConversation({ signal, ...ref }: SessionRef & CallOptions): Promise<unknown> {
      const session = await sessionService.getSession(ref);
      if (!session || !memoryService || !consolidator) return undefined;
      // Messages are added first, because the model may be slow or fail.
      if (memoryService.addEventsToMemory)
        await memoryService.addEventsToMemory({ ...ref, events: session.events, signal });
      else await memoryService.addSessionToMemory(session, { signal });
      if (!extractsFacts) return undefined;
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
function memoryToolsFor(p: { memory: MemoryService; timeZone: string; extractsFacts: boolean }): Tool[] {
  const { memory, timeZone, extractsFacts } = p;
  // Answers of the concierge would displace the guest's messages. Facts have no author, so they need no filter.
  const filter = extractsFacts || !isComplete(memory) ? undefined : { author: 'user' };
  return [
    // The agent queries all wishes at once, so each wish has only a few words of the query.
    loadMemoryTool({ limit: MEMORY_LIMIT, minRelevance: 0, filter, timeZone }),
    preloadMemoryTool({ filter, timeZone }),
    ...(memory.addMemory ? [rememberTool()] : []),
  ];
}

/** True for a service with all methods that facts need. */
function isComplete(memory: MemoryService | undefined): boolean {
  return memory?.addMemory !== undefined && memory.deleteSessionMemory !== undefined;
}

function isPrunable(memory: MemoryService | undefined): memory is MemoryService & PrunableMemory {
  return memory !== undefined && 'pruneMemories' in memory;
}

/** Returns the features for which the service has no methods. */
function unsupportedBy(memory: MemoryService, p: { withFacts: boolean; withRetention: boolean }): string[] {
  const missing = {
    'messages before the end of the conversation': !memory.addEventsToMemory,
    'facts and profiles of the language model': p.withFacts && !isComplete(memory),
    '/remember': !memory.addMemory,
    '/memory without a query': !memory.listMemories,
    '/forget <number>': !memory.deleteMemory,
    THOLE_MEMORY_DAYS: p.withRetention && !isPrunable(memory),
  };
  return Object.entries(missing).flatMap(([feature, isMissing]) => (isMissing ? [feature] : []));
}

const DAY_MS = 86_400_000;

function readMaxAge(env: EnvVars): number | undefined {
  const text = env['THOLE_MEMORY_DAYS']?.trim();
  if (!text) return undefined;
  const days = Number(text);
  if (!Number.isFinite(days) || days <= 0)
    throw new TholeError('INVALID_INPUT', 'THOLE_MEMORY_DAYS must be a number of days above 0.');
  return days * DAY_MS;
}
