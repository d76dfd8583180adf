import { systemRuntime, textOf, TholeError } from '@thole/core';
import {
  assertDuration,
  assertSessionRef,
  inProcessLeases,
  invalidInput,
  isCurrentMemory,
  KeyedQueue,
  optionNames,
  putCached,
  rejectUnknownOptions,
  sessionKeyOf,
} from '@thole/core/kit';
import type { CallOptions, LeaseManager, MemoryEntry, MemoryService, Runtime, Session, SessionRef } from '@thole/core';
import { isConsolidated } from '../consolidate/consolidate-session.ts';
import type { ConsolidationOutcome } from '../consolidate/consolidate-session.ts';
import { deleteUnchangedSession } from '../lease/delete-unchanged-session.ts';
import { assertSessionService } from '../assert-session-service.ts';
import { requireMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import { forgetMemory } from '../privacy/forget-memory.ts';
import type { CommandAnswer, MemoryCommandsOptions } from './memory-commands.ts';
import { oneLine } from './one-line.ts';

/** A question that waits for the answer `yes`. */
interface PendingQuestion {
  /** Time in seconds until which `yes` is accepted. */
  until: number;
  /** Deletes the memories in question. */
  forget(): Promise<CommandAnswer>;
  /** The reply to any other answer. */
  keptText: string;
}

const MAX_LINE_CHARACTERS = 160;
const MAX_NOTE_CHARACTERS = 2_000;
const MAX_LISTED = 50;
/** Maximum number of sessions for which the last list and question are stored. */
const MAX_SESSIONS = 1_000;
const MEMORY_IS_OFF = 'Memory is off. Nothing is remembered after this conversation.';
/** Answers if the service lacks a method. */
const CANNOT_REMEMBER = 'The memory service cannot store single facts. It remembers conversations.';
const CANNOT_LIST = 'The memory service cannot list memories. Write /memory <query> to search them.';
const CANNOT_FORGET_ONE = 'The memory service cannot delete single memories. /forget deletes all of them.';
const CANNOT_FORGET = 'The memory service cannot delete memories.';
const commandOptionNames = optionNames<MemoryCommandsOptions>({
  memory: true,
  sessions: true,
  consolidator: true,
  artifacts: true,
  profiles: true,
  answerWithinMs: true,
  runtime: true,
});
const ALIASES: { readonly [name: string]: string } = { new: 'reset', clear: 'reset', memories: 'memory' };

/** Runs the commands of one app's front ends; see `memoryCommands`. */
export class CommandHandler {
  readonly #options: MemoryCommandsOptions;
  readonly #memory: MemoryService | undefined;
  readonly #answerWithinMs: number;
  readonly #runtime: Runtime;
  readonly #leasing: LeaseManager;
  readonly #holder: string;
  readonly #queue = new KeyedQueue();
  readonly #pending = new Map<string, PendingQuestion>();
  /** Ids of the last list of `/memory`, by session. */
  readonly #listedIds = new Map<string, readonly string[]>();

  constructor(options: MemoryCommandsOptions) {
    rejectUnknownOptions(options, commandOptionNames, 'memoryCommands');
    const { memory, sessions, answerWithinMs = 120_000, runtime = systemRuntime() } = options;
    assertSessionService(sessions);
    if (memory) this.#memory = requireMemory(memory, 'memoryCommands', ['addSessionToMemory', 'searchMemory']);
    assertDuration('answerWithinMs', answerWithinMs);
    this.#options = options;
    this.#answerWithinMs = answerWithinMs;
    this.#runtime = runtime;
    this.#leasing = sessions.leasing ?? inProcessLeases(runtime);
    this.#holder = runtime.newId('commands');
  }

  async handle(line: string, session: SessionRef, { signal }: CallOptions = {}): Promise<CommandAnswer | undefined> {
    if (typeof line !== 'string') throw invalidInput('line', 'a string', line);
    assertSessionRef(session);
    const ref = { appName: session.appName, userId: session.userId, sessionId: session.sessionId };
    return this.#queue.run(sessionKeyOf(ref), () => this.#handle(line, { ...ref, signal }));
  }

  async #handle(line: string, ref: SessionRef & CallOptions): Promise<CommandAnswer | undefined> {
    const text = line.replace(/^\uFEFF/u, '').trim();
    const pending = this.#takePending(ref);
    if (!pending) return this.#command(text, ref);
    const answer = text.toLowerCase();
    if (answer === 'yes') return pending.forget();
    const { keptText } = pending;
    if (answer === '' || answer === 'no' || answer === 'n') return { text: keptText };
    const next = await this.#command(text, ref);
    return next ? { ...next, text: `${keptText}\n${next.text}` } : { text: keptText, isMessage: true };
  }

  async #command(text: string, ref: SessionRef & CallOptions): Promise<CommandAnswer | undefined> {
    const [, name = '', argument = ''] = /^\/(\S+)\s*([^]*)$/u.exec(text) ?? [];
    const command = name.toLowerCase();
    switch (Object.hasOwn(ALIASES, command) ? ALIASES[command] : command) {
      case 'remember':
        return this.#remember(argument, ref);
      case 'memory':
        return this.#list(argument === 'list' ? '' : argument, ref);
      case 'forget':
        return argument === '' ? this.#requestForgetConfirmation(ref) : this.#forgetOne(argument, ref);
      case 'reset':
        return this.#reset(ref);
      default:
        return undefined;
    }
  }

  async #remember(fact: string, { appName, userId, signal }: SessionRef & CallOptions): Promise<CommandAnswer> {
    if (!this.#memory) return { text: MEMORY_IS_OFF };
    if (oneLine(fact, MAX_LINE_CHARACTERS) === '') return { text: 'Nothing to remember. Write /remember <fact>.' };
    if (!this.#memory.addMemory) return { text: CANNOT_REMEMBER };
    if (fact.length > MAX_NOTE_CHARACTERS)
      return {
        text: `Not remembered: the text has ${fact.length} characters, and at most ${MAX_NOTE_CHARACTERS} are possible.`,
      };
    const content = { role: 'user' as const, parts: [{ text: fact }] };
    const memories = [{ kind: 'note' as const, content, author: 'user' }];
    try {
      const [note] = await this.#memory.addMemory({ appName, userId, memories, signal });
      // The stored text: a redacting memory may have removed a part of it.
      return { text: `Remembered: ${oneLine(note ? textOf(note.content) : fact, MAX_LINE_CHARACTERS)}` };
    } catch (error) {
      if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
      return { text: 'Not remembered: this text cannot be stored.' };
    }
  }

  async #list(query: string, ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    if (!this.#memory) return { text: MEMORY_IS_OFF };
    if (!query && !this.#memory.listMemories) return { text: CANNOT_LIST };
    const { memories, more } = await this.#find(this.#memory, query, ref);
    const ids = memories.map(({ id }) => id);
    putCached(this.#listedIds, sessionKeyOf(ref), ids, MAX_SESSIONS);
    if (memories.length === 0) return { text: query ? 'No memory matches.' : 'Nothing is remembered.' };
    const lines = memories.map((entry, i) => `${i + 1}. ${lineOf(entry, this.#runtime.now())}`);
    if (more > 0) lines.push(`… and ${more} more. /memory <query> searches all.`);
    return { text: lines.join('\n') };
  }

  async #find(
    memory: MemoryService,
    query: string,
    { appName, userId, signal }: SessionRef & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; more: number }> {
    const user = { appName, userId, signal };
    if (query) return { memories: (await memory.searchMemory({ ...user, query })).memories, more: 0 };
    // Without a filter, the service chooses what it lists: facts and notes, or turns if it has only turns.
    const all = await listAllMemories(requireMemory(memory, '/memory', ['listMemories']), { ...user, filter: {} });
    return { memories: all.slice(-MAX_LISTED), more: Math.max(0, all.length - MAX_LISTED) };
  }

  async #forgetOne(argument: string, ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    const memory = this.#memory;
    if (!memory) return { text: MEMORY_IS_OFF };
    if (!memory.listMemories || !memory.deleteMemory) return { text: CANNOT_FORGET_ONE };
    const deleteMemory = memory.deleteMemory.bind(memory);
    const id = /^\d+$/.test(argument) ? this.#listedIds.get(sessionKeyOf(ref))?.[Number(argument) - 1] : undefined;
    if (id === undefined) return { text: 'There is no such line. /memory lists the memories with numbers.' };
    const { appName, userId, signal } = ref;
    const { count, remaining } = await forgetMemory({ appName, userId, memory, ids: [id], signal });
    if (count === 0) return { text: 'Already forgotten.' };
    const text = 'Forgotten, with its sources.';
    if (remaining.length === 0) return { text, hasForgotten: true };
    const ids = remaining.map((entry) => entry.id);
    this.#storeQuestion(ref, 'These memories are kept.', async () => {
      const more = await deleteMemory({ appName, userId, ids });
      return { text: `Forgotten: ${memoryCount(more)}.`, hasForgotten: more > 0 };
    });
    const lines = remaining.map((entry) => `- ${lineOf(entry, this.#runtime.now())}`);
    const question = [text, 'These say the same:', ...lines, 'Forget them too? Answer yes or no.'].join('\n');
    return { text: question, hasForgotten: true };
  }

  async #requestForgetConfirmation(ref: SessionRef): Promise<CommandAnswer> {
    const memory = this.#memory;
    if (!memory) return { text: MEMORY_IS_OFF };
    if (!memory.deleteUserMemory) return { text: CANNOT_FORGET };
    const deleteUserMemory = memory.deleteUserMemory.bind(memory);
    this.#storeQuestion(ref, 'Nothing was forgotten.', async () => {
      const user = { appName: ref.appName, userId: ref.userId };
      const count = await deleteUserMemory(user);
      this.#options.profiles?.forget(user);
      this.#listedIds.delete(sessionKeyOf(ref));
      return { text: `Forgotten: ${memoryCount(count)}. This conversation is kept.`, hasForgotten: true };
    });
    return { text: 'Forget everything about you? Answer yes or no.' };
  }

  /** Stores a question until the next line of the session. */
  #storeQuestion(ref: SessionRef, keptText: string, forget: () => Promise<CommandAnswer>): void {
    const until = this.#runtime.now() + this.#answerWithinMs / 1000;
    putCached(this.#pending, sessionKeyOf(ref), { until, forget, keptText }, MAX_SESSIONS);
  }

  async #reset(ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    const { sessions, consolidator } = this.#options;
    const session = await sessions.getSession(ref);
    if (!session) return { text: 'Nothing to clear.' };
    let outcome: ConsolidationOutcome | undefined;
    if (this.#memory && consolidator) outcome = await consolidator.consolidate(ref);
    else if (this.#memory) await this.#memory.addSessionToMemory(session, { signal: ref.signal });
    if (outcome !== 'deleted' && outcome !== 'gone' && outcome !== 'active')
      outcome = await this.#clear(session, outcome);
    if (outcome === 'active') return { text: 'This conversation has new messages, so it was not cleared. Try again.' };
    this.#listedIds.delete(sessionKeyOf(ref));
    const added = this.#memory ? 'The conversation was added to memory. ' : '';
    return { text: `${added}${closedRequestsText(session)}A new conversation starts.`, isCleared: true };
  }

  /** Deletes the session if it has not changed since it was read. Its events are in memory, or memory is off. */
  async #clear(session: Session, outcome: ConsolidationOutcome | undefined): Promise<'deleted' | 'gone' | 'active'> {
    const { sessions, artifacts } = this.#options;
    const { appName, userId, id: sessionId } = session;
    // A kept session was marked after it was read.
    const current =
      outcome === 'kept' ? await sessions.getSession({ appName, userId, sessionId, numRecentEvents: 0 }) : session;
    if (!current) return 'gone';
    if (outcome === 'kept' && !isConsolidated(current)) return 'active';
    return deleteUnchangedSession(current, {
      sessions,
      artifacts,
      leasing: this.#leasing,
      runtime: this.#runtime,
      holder: this.#holder,
      closesInterrupts: true,
    });
  }

  #takePending(ref: SessionRef): PendingQuestion | undefined {
    const key = sessionKeyOf(ref);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return pending && this.#runtime.now() <= pending.until ? pending : undefined;
  }
}

/** Returns a sentence about the open requests that are deleted with a session. */
function closedRequestsText({ marks }: Session): string {
  const count = marks?.openInterrupts ?? 0;
  if (count === 0) return '';
  return count === 1 ? '1 open request was closed. ' : `${count} open requests were closed. `;
}

function memoryCount(memories: number): string {
  return memories === 1 ? 'one memory' : `${memories} memories`;
}

function lineOf(entry: MemoryEntry, now: number): string {
  const { kind, author, content } = entry;
  const prefix = kind === 'turn' ? `${oneLine(author ?? 'unknown', 40)}: ` : kind === 'note' ? 'note: ' : '';
  const suffix = isCurrentMemory(entry, now) ? '' : ' (no longer true)';
  return `${prefix}${oneLine(textOf(content), MAX_LINE_CHARACTERS)}${suffix}`;
}
