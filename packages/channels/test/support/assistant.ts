import type { Llm, MemoryService, Runtime, SessionService, Tool } from '@thole/core';
import { InMemoryMemoryService, InMemorySessionService } from '@thole/mem-services';
import { memoryParts } from '@thole/memory';
import { LlmAgent, Runner } from '@thole/runner';
import { FixedRuntime } from '@thole/testing';
import { Dispatcher, InMemoryDeliveryStore, InMemoryIdentityStore } from '../../src/index.ts';
import type {
  ConversationInfo,
  ConversationParts,
  DeliveryStore,
  DispatcherOptions,
  DispatchFailure,
  IdentityStore,
} from '../../src/index.ts';
import { LocalChannel } from './local-channel.ts';

/** The stored data. Pass it to a second assistant to simulate a restart. */
export interface Storage {
  sessions: SessionService;
  memory: MemoryService;
  identities: IdentityStore;
  deliveries: DeliveryStore;
}

/** Options of `startAssistant`. */
export interface AssistantOptions {
  llm: Llm;
  runtime: FixedRuntime;
  channels?: readonly LocalChannel[] | undefined;
  storage?: Storage | undefined;
  tools?: readonly Tool[] | undefined;
  options?: Partial<DispatcherOptions> | undefined;
  memory?: { enabled?: boolean; autoIngest?: boolean; idleMs?: number } | undefined;
  /** Called when the parts of a conversation are created. */
  onCreate?: ((info: ConversationInfo) => void) | undefined;
}

/** A dispatcher with an agent, memory and users: Ada on `chat` and `mail`, Bob on `chat`. */
export interface Assistant {
  dispatcher: Dispatcher;
  chat: LocalChannel;
  storage: Storage;
  failures: DispatchFailure[];
  /** Waits until the gathered messages are answered. */
  settle(): Promise<void>;
}

export const appName = 'companion';

export function newStorage(runtime: Runtime): Storage {
  return {
    sessions: new InMemorySessionService({ runtime }),
    memory: new InMemoryMemoryService({ runtime }),
    identities: new InMemoryIdentityStore({ runtime }),
    deliveries: new InMemoryDeliveryStore(),
  };
}

export async function addUsers(identities: IdentityStore): Promise<void> {
  const on = (channel: string, sender: string) => ({ channel, sender });
  await identities.create({
    id: 'ada',
    name: 'Ada',
    role: 'admin',
    identities: [on('chat', 'a1'), on('mail', 'ada@x')],
  });
  await identities.create({ id: 'bob', name: 'Bob', identities: [on('chat', 'b1')] });
}

export async function startAssistant(p: AssistantOptions): Promise<Assistant> {
  const { llm, runtime, tools = [] } = p;
  const storage = p.storage ?? newStorage(runtime);
  if ((await storage.identities.list()).length === 0) await addUsers(storage.identities);
  const channels = p.channels ?? [new LocalChannel()];
  const failures: DispatchFailure[] = [];
  const createParts = (info: ConversationInfo): ConversationParts => {
    p.onCreate?.(info);
    const { sessions } = storage;
    const parts = memoryParts({ sessions, memory: storage.memory, runtime, ...p.memory });
    const agent = new LlmAgent({ name: 'companion', model: llm, tools: [...tools] });
    const runner = new Runner({
      appName,
      agent,
      sessionService: sessions,
      memoryService: parts.memoryService,
      plugins: parts.plugins,
      autoCreateSession: true,
      concurrency: { policy: 'join' },
      runtime,
    });
    return { runner, commands: parts.commands, consolidator: parts.consolidator };
  };
  const { deliveries, identities, sessions } = storage;
  const dispatcher = new Dispatcher({
    ...{ appName, channels, createParts, deliveries, identities, runtime, sessions },
    onError: (failure) => void failures.push(failure),
    ...p.options,
  });
  await dispatcher.start();
  const settle = async (): Promise<void> => {
    await runtime.advance(1_000);
    await dispatcher.idle();
  };
  return { dispatcher, chat: channels[0]!, storage, failures, settle };
}
