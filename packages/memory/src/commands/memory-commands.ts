import type { ArtifactService, CallOptions, MemoryService, Runtime, SessionRef, SessionService } from '@thole/core';
import type { ConsolidationOutcome } from '../consolidate/consolidate-session.ts';
import type { Profiles } from '../profile/profile.ts';
import { CommandHandler } from './command-handler.ts';

/** Options of `memoryCommands`. */
export interface MemoryCommandsOptions {
  /** The memory service. Commands for which it has no method explain this. Default: none; commands answer that memory is off. */
  memory?: MemoryService | undefined;
  sessions: SessionService;
  /** Adds a session to memory before `/reset` deletes it. Default: `addSessionToMemory` of `memory`. */
  consolidator?: { consolidate(ref: SessionRef & CallOptions): Promise<ConsolidationOutcome> } | undefined;
  /** The runner's artifact service, to delete the artifacts of cleared sessions. Default: none. */
  artifacts?: ArtifactService | undefined;
  /** Cached profiles, which `/forget` deletes. Default: none. */
  profiles?: Profiles | undefined;
  /** Time in milliseconds in which a question accepts the answer `yes`. Default: 120,000. */
  answerWithinMs?: number | undefined;
  runtime?: Runtime | undefined;
}

/** The answer to a line of the user. */
export interface CommandAnswer {
  /** Plain text of one or more lines. Quoted memories contain no control characters. */
  text: string;
  /** True if the line is a message for the agent instead of an answer to a question. Pass it to the agent. */
  isMessage?: boolean | undefined;
  /** True if the session was deleted: the next message starts a new one. */
  isCleared?: boolean | undefined;
  /**
   * True if `/forget` deleted all memories or at least one. The current session may still contain their text: start a new one, so
   * that the model no longer receives it.
   */
  hasForgotten?: boolean | undefined;
}

/** Memory commands for a chat front end. Pass every line to `handle` before passing it to the agent. */
export interface MemoryCommands {
  /**
   * Returns the answer to a command, or undefined for a line that is a message for the agent. Handles the lines of a session one after
   * the other. Throws errors of the services. The signal ends waits for models and stores; an aborted `/reset` deletes nothing.
   */
  handle(line: string, session: SessionRef, call?: CallOptions): Promise<CommandAnswer | undefined>;
  /** The usage and description of each command, for a help text. */
  readonly help: readonly { usage: string; help: string }[];
}

const HELP = [
  { usage: '/remember <fact>', help: 'remember a fact, word for word' },
  { usage: '/memory [query]', help: 'show memories, or those that match a query' },
  { usage: '/forget [number]', help: 'forget everything (asks first), or one line of /memory' },
  { usage: '/reset', help: 'add this conversation to memory and start a new one (also /new, /clear)' },
] as const;

/**
 * Returns the commands `/remember`, `/memory`, `/forget` and `/reset`. They do not call the agent and schedule no consolidation.
 * Throws `INVALID_INPUT` for invalid options, and `MEMORY_NOT_CONFIGURED` for a memory service without search.
 */
export function memoryCommands(options: MemoryCommandsOptions): MemoryCommands {
  const commands = new CommandHandler(options);
  return { handle: (line, session, call) => commands.handle(line, session, call), help: HELP };
}
