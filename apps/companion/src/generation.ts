import type { ConversationParts, IdentityStore } from '@thole/channels';
import type { ArtifactService, MemoryService, Plugin, Runtime, SessionService, Tool } from '@thole/core';
import { memoryParts } from '@thole/memory';
import { Runner, SaveFilesAsArtifactsPlugin } from '@thole/runner';
import { forgetTool, loadArtifactsTool, loadMemoryTool, rememberTool } from '@thole/tools';
import { createAgent } from './agent/create-agent.ts';
import type { CompanionConfig } from './config/companion-config.ts';
import type { Models } from './models/choose-models.ts';
import type { OpenedMemory } from './models/open-memory.ts';
import { taskLines } from './tasks/task-lines.ts';

/** App name of all conversations. */
export const APP_NAME = 'companion';

/** The runner, models and memory of one configuration. */
export interface Generation {
  config: CompanionConfig;
  models: Models;
  /** Lists and searches entries, also if memory is off for the agent. */
  memory: MemoryService;
  parts: ConversationParts;
  /** Closes the runner and memory. */
  dispose: () => Promise<void>;
}

/** Arguments of `createGeneration`. */
export interface GenerationContext {
  config: CompanionConfig;
  models: Models;
  memory: OpenedMemory;
  sessions: SessionService;
  artifacts: ArtifactService;
  identities: IdentityStore;
  /** Called when no conversation uses the parts anymore. */
  onUnused: () => Promise<void>;
  /** Tools in addition to those of memory. */
  tools: readonly Tool[];
  timeZone: string;
  runtime: Runtime;
}

/** Creates the runner of all conversations, and memory, from one configuration. */
export function createGeneration(p: GenerationContext): Generation {
  const { artifacts, config, identities, memory, models, runtime, sessions, timeZone } = p;
  const { memory: settings } = config;
  const parts = memoryParts({
    ...{ sessions, artifacts, memory: memory.service, llm: models.memory, runtime, timeZone },
    ...{ enabled: settings.enabled, autoIngest: settings.autoIngest, recallLimit: settings.recallLimit },
    ...{ preload: settings.preload, preloadLimit: settings.preloadLimit },
    extractionInstructions: settings.extractionInstructions || undefined,
    idleMs: config.sessions.idleConsolidateMinutes * 60_000,
    windowTurns: config.sessions.windowTurns,
    sources: [taskLines(sessions)],
    tools: ({ recallLimit }) => [loadMemoryTool({ limit: recallLimit, timeZone }), rememberTool(), forgetTool()],
  });
  const { commands, consolidator, memoryService, plugins, tools } = parts;
  const saveFiles: Plugin = new SaveFilesAsArtifactsPlugin();
  const agent = createAgent({
    ...{ llm: models.agent, identities, timeZone },
    hasMemory: memoryService !== undefined,
    tools: [...tools, ...p.tools, loadArtifactsTool()],
  });
  const runner = new Runner({
    ...{
      appName: APP_NAME,
      agent,
      plugins: [...plugins, saveFiles],
      sessionService: sessions,
      artifactService: artifacts,
    },
    ...{ memoryService, runtime, autoCreateSession: true, concurrency: { policy: 'join' } },
  });
  let closed: Promise<void> | undefined;
  const dispose = (): Promise<void> => (closed ??= runner.close().then(() => memory.close()));
  const conversationParts: ConversationParts = { runner, commands, consolidator, close: p.onUnused };
  return { config, models, memory: memoryService ?? memory.service, parts: conversationParts, dispose };
}
