import type { Runtime, SessionRef, SessionSummary } from '@thole/core';
import { assertName } from '@thole/core/kit';
import { memoryCommands } from '@thole/memory';
import type { CommandAnswer, MemoryCommands } from '@thole/memory';
import { Runner } from '@thole/runner';
import type { Run } from '@thole/runner';
import { createAgent } from './agent.ts';
import { commandMemory } from './command-memory.ts';
import type { ChosenModel } from './model.ts';
import { APP_NAME } from './services.ts';
import type { Services } from './services.ts';

export interface ConciergeOptions {
  guest: string;
  services: Services;
  model: ChosenModel;
  /** True to stream answers. */
  streaming: boolean;
  runtime: Runtime;
}

/** A conversation that has ended. */
export interface Ended {
  /** Why facts could not be extracted yet. The conversation is in memory, and extraction is retried later. */
  delayedBy: unknown;
}

const FORGOTTEN = 'Bookings stay; the next message begins a new conversation.';

/** The conversations of one guest at a time. Each conversation is added to memory, if there is one. */
export class Concierge {
  readonly notice: string;
  readonly remembers: boolean;
  /** Syntax and description of the memory commands. */
  readonly help: MemoryCommands['help'];
  readonly #runner: Runner;
  readonly #commands: MemoryCommands;
  readonly #services: Services;
  readonly #streaming: boolean;
  readonly #runtime: Runtime;
  #guest: string;
  #sessionId: string;
  #hasBegun = false;
  /** True if something was forgotten that this conversation may contain. */
  #hasForgotten = false;

  /** Throws `INVALID_INPUT` for an invalid guest name. */
  constructor(options: ConciergeOptions) {
    const { guest, services, model, streaming, runtime } = options;
    assertName('guest', guest);
    const { sessionService, memoryService, consolidator, profiles, plugins } = services;
    this.remembers = memoryService !== undefined;
    this.notice = model.notice;
    this.#guest = guest;
    this.#sessionId = runtime.newId('session');
    this.#services = services;
    this.#streaming = streaming;
    this.#runtime = runtime;
    const onForgotten = (): void => void (this.#hasForgotten = true);
    const memory = memoryService && commandMemory(memoryService, { wordNote: model.wordNote, onForgotten });
    this.#commands = memoryCommands({ sessions: sessionService, memory, consolidator, profiles, runtime });
    this.help = this.#commands.help;
    const agent = createAgent({ llm: model.llm, memoryTools: services.tools, timeZone: services.timeZone });
    this.#runner = new Runner({
      ...{ appName: APP_NAME, agent, plugins, sessionService, memoryService, runtime },
      autoCreateSession: true,
    });
  }

  get guest(): string {
    return this.#guest;
  }

  /** Session id of the current conversation, or of the one that the next message starts. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** Starts a run for a message. */
  async say(message: string): Promise<Run> {
    if (this.#hasForgotten) this.#beginAnew();
    this.#hasBegun = true;
    return this.#runner.runAsync({
      userId: this.#guest,
      sessionId: this.#sessionId,
      newMessage: message,
      runConfig: { streamingMode: this.#streaming ? 'sse' : 'none' },
    });
  }

  /**
   * Returns the answer of a memory command. Undefined for a message to the concierge. After a deletion the next
   * message starts a new conversation, because the current one may contain the deleted text. The signal stops work
   * of a model.
   */
  async command(line: string, signal?: AbortSignal): Promise<CommandAnswer | undefined> {
    if (line.trim().startsWith('/')) await this.#services.settle();
    const hadForgotten = this.#hasForgotten;
    const answer = await this.#commands.handle(line, this.#session, { signal });
    if (answer?.isCleared) this.#beginAnew();
    if (!answer || hadForgotten || !this.#hasForgotten) return answer;
    return { ...answer, text: `${answer.text}\n${FORGOTTEN}` };
  }

  /**
   * Adds the conversation to memory; the next message starts a new one. Undefined without messages. The signal stops
   * work of a model.
   */
  async endConversation(signal?: AbortSignal): Promise<Ended | undefined> {
    const session = this.#session;
    // Texts from before a deletion are in memory already, except the deleted ones.
    const isKept = !this.#hasBegun || this.#hasForgotten;
    // First, so that a failure does not keep the guest in a conversation that cannot end.
    this.#beginAnew();
    if (isKept) return undefined;
    return { delayedBy: await this.#services.keep({ ...session, signal }) };
  }

  /** Ends the conversation and switches to another guest. Throws `INVALID_INPUT` for an invalid name. */
  async switchGuest(name: string, signal?: AbortSignal): Promise<Ended | undefined> {
    assertName('guest', name);
    try {
      return await this.endConversation(signal);
    } finally {
      this.#guest = name;
    }
  }

  /** Returns the guest's conversations, newest first. */
  async conversations(): Promise<SessionSummary[]> {
    const { appName, userId } = this.#session;
    const { sessions } = await this.#services.sessionService.listSessions({
      appName,
      userId,
      order: 'desc',
      limit: 20,
    });
    return sessions;
  }

  /** Adds the conversation to memory and closes the runner. */
  async close(signal?: AbortSignal): Promise<Ended | undefined> {
    try {
      return await this.endConversation(signal);
    } finally {
      await this.#runner.close();
    }
  }

  #beginAnew(): void {
    this.#sessionId = this.#runtime.newId('session');
    this.#hasBegun = false;
    this.#hasForgotten = false;
  }

  get #session(): SessionRef {
    return { appName: APP_NAME, userId: this.#guest, sessionId: this.#sessionId };
  }
}
