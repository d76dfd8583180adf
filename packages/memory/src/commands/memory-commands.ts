import type { ArtifactService, CallOptions, MemoryService, Runtime, SessionRef, SessionService } from '@thole/core';
import type { ConsolidationOutcome } from '../consolidate/consolidate-session.ts';
import type { Profiles } from '../profile/profile.ts';
import { CommandHandler } from './command-handler.ts';

/** What commands work on. */
export interface MemoryCommandsOptions {
  /** Without one, commands say that memory is off. */
  memory?: MemoryService | undefined;
  sessions: SessionService;
  /** Puts a session into memory before `/reset` clears it; without one it is added as it is. */
  consolidator?: { consolidate(ref: SessionRef & CallOptions): Promise<ConsolidationOutcome> } | undefined;
  /** The runner's, where there is one: what a cleared session has saved goes with it. */
  artifacts?: ArtifactService | undefined;
  /** Profiles to let go of when everything is forgotten. */
  profiles?: Profiles | undefined;
  /** How long a question waits for its `yes` (120,000). */
  answerWithinMs?: number | undefined;
  runtime?: Runtime | undefined;
}

/** What to show, and what to do with the line. */
export interface CommandAnswer {
  /** Plain text of one line or more; what it quotes has no control characters. */
  text: string;
  /** The line was no command after all (it came in place of a `yes`): say it to the agent too. */
  isMessage?: boolean | undefined;
  /** The session is gone: the next message begins another. */
  isCleared?: boolean | undefined;
}

/** Commands for any chat front end. Give it every line before you give it to the agent. */
export interface MemoryCommands {
  /**
   * The answer to a command, or undefined for a line to say to the agent. Lines of one session are handled in the order in which
   * they are given. What fails is thrown. The signal ends the wait for a model or a store: a `/reset` that it ends clears nothing.
   */
  handle(line: string, session: SessionRef, call?: CallOptions): Promise<CommandAnswer | undefined>;
  /** How to write each command, and what it does, for a help text. */
  readonly help: readonly { usage: string; help: string }[];
}

const HELP = [
  { usage: '/remember <fact>', help: 'keep a fact, word for word' },
  { usage: '/memory [query]', help: 'show what is remembered, or what fits a query' },
  { usage: '/forget [number]', help: 'forget everything (asks first), or one line of /memory' },
  { usage: '/reset', help: 'put this conversation into memory and begin a new one (also /new, /clear)' },
] as const;

/** Makes the commands `/remember`, `/memory`, `/forget` and `/reset`. They never reach the model and arm no consolidation. */
export function memoryCommands(options: MemoryCommandsOptions): MemoryCommands {
  const commands = new CommandHandler(options);
  return { handle: (line, session, call) => commands.handle(line, session, call), help: HELP };
}
