import { TholeError } from '@thole/core';
import type { Runtime, SessionRef, SessionSummary } from '@thole/core';
import type { CommandAnswer } from '@thole/memory';
import { Runner } from '@thole/runner';
import type { Run } from '@thole/runner';
import { createAgent } from './agent.ts';
import type { ChosenModel } from './model.ts';
import { APP_NAME } from './services.ts';
import type { Services } from './services.ts';

/** Options of a `Concierge`. */
export interface ConciergeOptions {
  guest: string;
  services: Services;
  model: ChosenModel;
  /** True to stream answers. */
  streaming: boolean;
  runtime: Runtime;
}

/** The end of a conversation. */
export interface EndedConversation {
  /** True if the conversation was added to memory. */
  isAdded: boolean;
  /** The error that delayed the extraction of facts. Extraction is retried later. */
  extractionError?: unknown;
}

/** Runs the conversations of one guest at a time. Each conversation is added to memory unless memory is off. */
export class Concierge {
  readonly #options: ConciergeOptions;
  readonly #runner: Runner;
  #session: SessionRef;
  #hasBegun = false;
  /** True after a deletion of memories that this conversation may contain. */
  #hasForgotten = false;

  /** Throws `INVALID_INPUT` for an invalid guest name. */
  constructor(options: ConciergeOptions) {
    const { guest, services, model, runtime } = options;
    const { sessionService, memoryService, artifactService, plugins, tools, timeZone } = services;
    assertGuest(guest);
    this.#options = options;
    this.#session = this.#newSession(guest);
    const agent = createAgent({ llm: model.llm, memoryTools: tools, timeZone });
    this.#runner = new Runner({
      ...{ appName: APP_NAME, agent, plugins, sessionService, memoryService, artifactService, runtime },
      autoCreateSession: true,
    });
  }

  get guest(): string {
    return this.#session.userId;
  }

  /** Session id of the current conversation, or of the conversation that the next message starts. */
  get sessionId(): string {
    return this.#session.sessionId;
  }

  /** Starts a run for a message. The signal aborts the run. */
  say(message: string, signal?: AbortSignal): Run {
    if (this.#hasForgotten) this.#startConversation();
    this.#hasBegun = true;
    return this.#runner.runAsync({
      userId: this.guest,
      sessionId: this.sessionId,
      newMessage: message,
      runConfig: { streamingMode: this.#options.streaming ? 'sse' : 'none' },
      abortSignal: signal,
    });
  }

  /**
   * Returns the answer of a memory command. Undefined for a message to the concierge. After a deletion, the next
   * message starts a new conversation, because the current one may contain the deleted text. The signal stops calls of
   * a model.
   */
  async command(line: string, signal?: AbortSignal): Promise<CommandAnswer | undefined> {
    const { services, model } = this.#options;
    if (line.startsWith('/')) await services.settle();
    const wordedLine = line.replace(/^(\/remember\s+)(\S[^]*)$/iu, (_, name, fact) => `${name}${model.wordNote(fact)}`);
    const answer = await services.commands.handle(wordedLine, this.#session, { signal });
    if (answer?.isCleared) this.#startConversation();
    if (!answer?.hasForgotten || this.#hasForgotten) return answer;
    this.#hasForgotten = true;
    return { ...answer, text: `${answer.text}\nBookings stay; the next message begins a new conversation.` };
  }

  /**
   * Adds the conversation to memory and starts a new one, also for another guest. The signal stops calls of a model.
   * Throws `INVALID_INPUT` for an invalid guest name.
   */
  async startNewConversation(signal?: AbortSignal, guest: string = this.guest): Promise<EndedConversation> {
    assertGuest(guest);
    const { services } = this.#options;
    const session = this.#session;
    // Messages from before a deletion are already in memory, except the deleted ones.
    const hasEnded = this.#hasBegun && !this.#hasForgotten;
    // The new conversation starts first, so that the guest can leave the old one even if memory cannot be written.
    this.#startConversation(guest);
    if (!hasEnded) return { isAdded: false };
    const extractionError = await services.addConversation({ ...session, signal });
    return { isAdded: services.memoryService !== undefined, extractionError };
  }

  /** Returns the guest's last 20 conversations, newest first. */
  async conversations(): Promise<SessionSummary[]> {
    const { appName, userId } = this.#session;
    const { sessionService } = this.#options.services;
    return (await sessionService.listSessions({ appName, userId, order: 'desc', limit: 20 })).sessions;
  }

  /** Adds the conversation to memory and closes the runner. */
  async close(signal?: AbortSignal): Promise<EndedConversation> {
    try {
      return await this.startNewConversation(signal);
    } finally {
      await this.#runner.close();
    }
  }

  #startConversation(guest: string = this.guest): void {
    this.#session = this.#newSession(guest);
    this.#hasBegun = false;
    this.#hasForgotten = false;
  }

  #newSession(guest: string): SessionRef {
    return { appName: APP_NAME, userId: guest, sessionId: this.#options.runtime.newId('session') };
  }
}

function assertGuest(name: string): void {
  if (!/^\P{C}{1,100}$/u.test(name))
    throw new TholeError('INVALID_INPUT', 'A guest name must have 1 to 100 characters and no control characters.');
}
