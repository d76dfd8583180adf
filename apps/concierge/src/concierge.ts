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
  /** Whether answers come word by word. */
  streaming: boolean;
  runtime: Runtime;
}

/** A conversation that has ended. */
export interface Ended {
  /** What kept facts from being drawn from it; it is in memory all the same, and that is tried again later. */
  delayedBy: unknown;
}

const FORGOTTEN = 'Bookings stay; the next message begins a new conversation.';

/** One guest at a time talking to the concierge, conversation after conversation, each of which goes into memory, where there is one. */
export class Concierge {
  readonly notice: string;
  readonly remembers: boolean;
  /** How to write the commands of memory, and what each does. */
  readonly help: MemoryCommands['help'];
  readonly #runner: Runner;
  readonly #commands: MemoryCommands;
  readonly #services: Services;
  readonly #streaming: boolean;
  readonly #runtime: Runtime;
  #guest: string;
  #sessionId: string;
  #hasBegun = false;
  /** Something that this conversation may hold. */
  #hasForgotten = false;

  /** `INVALID_INPUT` for a guest's name that cannot be one. */
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

  /** Of the conversation that goes on, or of the one that the next message begins. */
  get sessionId(): string {
    return this.#sessionId;
  }

  /** The answer to a message, as a run to read. */
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
   * What memory's commands answer to a line; undefined for one to say to the concierge. After something was forgotten the next
   * message begins another conversation: the one so far may hold it too, in what was said and in what tools answered. The signal
   * ends what a model takes its time for.
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
   * Takes the conversation into memory; the next message begins another one. Undefined where nothing was said. The signal ends
   * what a model takes its time for.
   */
  async endConversation(signal?: AbortSignal): Promise<Ended | undefined> {
    const session = this.#session;
    // What was said before something was forgotten is in memory, as far as it was not forgotten.
    const isKept = !this.#hasBegun || this.#hasForgotten;
    // First, so that a failure does not hold the guest in a conversation that cannot be ended.
    this.#beginAnew();
    if (isKept) return undefined;
    return { delayedBy: await this.#services.keep({ ...session, signal }) };
  }

  /** Ends the conversation; another guest speaks from now on. `INVALID_INPUT` for a name that cannot be one. */
  async switchGuest(name: string, signal?: AbortSignal): Promise<Ended | undefined> {
    assertName('guest', name);
    try {
      return await this.endConversation(signal);
    } finally {
      this.#guest = name;
    }
  }

  /** The guest's conversations, the newest first. */
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

  /** Takes the conversation into memory and ends what is running. */
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
