import type { MemoryEntry, MemoryService, Runtime, SessionSummary } from '@thole/core';
import { checkName, TholeError } from '@thole/core';
import { Runner } from '@thole/runner';
import type { Run } from '@thole/runner';
import { createAgent } from './agent.ts';
import { factToKeep } from './demo/fact-to-keep.ts';
import type { ChosenModel } from './model.ts';
import type { Services } from './services.ts';

export const APP_NAME = 'hotel';

export interface ConciergeOptions {
  guest: string;
  services: Services;
  model: ChosenModel;
  /** Whether answers come word by word. */
  streaming: boolean;
  runtime: Runtime;
}

/**
 * One guest at a time talking to the concierge, conversation after conversation. What ends a conversation takes it into
 * memory, where there is one. Without it, what needs memory is `MEMORY_NOT_CONFIGURED`.
 */
export class Concierge {
  readonly notice: string;
  readonly remembers: boolean;
  readonly #runner: Runner;
  readonly #services: Services;
  readonly #streaming: boolean;
  readonly #runtime: Runtime;
  #guest: string;
  /** Made with its first message. */
  #sessionId: string | undefined;

  /** `INVALID_INPUT` for a guest's name that cannot be one. */
  constructor(options: ConciergeOptions) {
    const { guest, services, model, streaming, runtime } = options;
    checkName('guest', guest);
    this.remembers = services.memoryService !== undefined;
    this.notice = model.notice;
    this.#guest = guest;
    this.#services = services;
    this.#streaming = streaming;
    this.#runtime = runtime;
    this.#runner = new Runner({
      appName: APP_NAME,
      agent: createAgent({ llm: model.llm, memory: this.remembers }),
      ...services,
      runtime,
    });
  }

  get guest(): string {
    return this.#guest;
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** The answer to a message, as a run to read. */
  async say(message: string): Promise<Run> {
    this.#sessionId ??= (await this.#services.sessionService.createSession(this.#user)).id;
    return this.#runner.runAsync({
      userId: this.#guest,
      sessionId: this.#sessionId,
      newMessage: message,
      runConfig: { streamingMode: this.#streaming ? 'sse' : 'none' },
    });
  }

  /** Takes the conversation into memory; the next message begins another one. Whether there was one. */
  async endConversation(): Promise<boolean> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return false;
    // First, so that a failure does not hold the guest in a conversation that cannot be ended.
    this.#sessionId = undefined;
    const session = await this.#services.sessionService.getSession({ ...this.#user, sessionId });
    if (session) await this.#services.memoryService?.addSessionToMemory(session);
    return true;
  }

  /** Ends the conversation; another guest speaks from now on. `INVALID_INPUT` for a name that cannot be one. */
  async switchGuest(name: string): Promise<void> {
    checkName('guest', name);
    try {
      await this.endConversation();
    } finally {
      this.#guest = name;
    }
  }

  /** The guest's conversations, the newest first. */
  async conversations(): Promise<SessionSummary[]> {
    const { sessions } = await this.#services.sessionService.listSessions({ ...this.#user, order: 'desc', limit: 20 });
    return sessions;
  }

  /** What is remembered of the guest: what fits a query, best first, or all, oldest first. */
  async memories(query: string): Promise<MemoryEntry[]> {
    const memory = this.#memory();
    if (query !== '') return (await memory.searchMemory({ ...this.#user, query, limit: 20 })).memories;
    const all: MemoryEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await memory.listMemories!({ ...this.#user, cursor });
      all.push(...page.memories);
      cursor = page.next;
    } while (cursor !== undefined);
    return all;
  }

  /** Keeps a fact about the guest, word for word. */
  async remember(fact: string): Promise<void> {
    const content = { role: 'user' as const, parts: [{ text: factToKeep(fact) }] };
    const timestamp = this.#runtime.now();
    await this.#memory().addMemory!({
      ...this.#user,
      memories: [{ kind: 'note', content, author: 'user', timestamp }],
    });
  }

  /**
   * Forgets one memory. Then another conversation begins: the one so far may hold it too, in what tools answered.
   * Whether it was there.
   */
  async forget(id: string): Promise<boolean> {
    await this.endConversation();
    return (await this.#memory().deleteMemory!({ ...this.#user, ids: [id] })) > 0;
  }

  /** Forgets everything that was said or kept until now, this conversation included. Answers how many memories went. */
  async forgetAll(): Promise<number> {
    await this.endConversation();
    return this.#memory().deleteUserMemory!(this.#user);
  }

  /** Takes the conversation into memory and ends what is running. */
  async close(): Promise<void> {
    try {
      await this.endConversation();
    } finally {
      await this.#runner.close();
    }
  }

  get #user(): { appName: string; userId: string } {
    return { appName: APP_NAME, userId: this.#guest };
  }

  #memory(): MemoryService {
    const { memoryService } = this.#services;
    if (!memoryService) throw new TholeError('MEMORY_NOT_CONFIGURED', 'The concierge was started without memory.');
    return memoryService;
  }
}
