import { systemRuntime, textOf } from '@thole/core';
import {
  assertSessionRef,
  inProcessLeases,
  invalidInput,
  isCurrentMemory,
  rejectUnknownOptions,
  sessionKeyOf,
} from '@thole/core/kit';
import type { CallOptions, LeaseManager, MemoryEntry, Runtime, Session, SessionRef } from '@thole/core';
import { isConsolidated } from '../consolidate/consolidate-session.ts';
import type { ConsolidationOutcome } from '../consolidate/consolidate-session.ts';
import { deleteQuietSession } from '../lease/delete-quiet-session.ts';
import { fullMemory } from '../full-memory.ts';
import type { FullMemory } from '../full-memory.ts';
import { KeyedQueue } from '../keyed-queue.ts';
import { listAllMemories } from '../list-all-memories.ts';
import { forgetMemory } from '../privacy/forget-memory.ts';
import type { CommandAnswer, MemoryCommandsOptions } from './memory-commands.ts';
import { oneLine } from './one-line.ts';

/** A question that waits for its yes. */
interface PendingQuestion {
  until: number;
  forget(): Promise<CommandAnswer>;
  /** The answer to anything but yes. */
  kept: string;
}

const MAX_LINE_CHARACTERS = 160;
const MAX_LISTED = 50;
/** How many sessions' last lists and questions are held. */
const MAX_SESSIONS = 1_000;
const MEMORY_IS_OFF = 'Memory is off: nothing is kept beyond this conversation.';
const ALIASES: { readonly [name: string]: string } = { new: 'reset', clear: 'reset', memories: 'memory' };

/** Runs the commands of one app's front ends; see `memoryCommands`. */
export class CommandHandler {
  readonly #options: MemoryCommandsOptions;
  readonly #memory: FullMemory | undefined;
  readonly #runtime: Runtime;
  readonly #leasing: LeaseManager;
  readonly #holder: string;
  readonly #queue = new KeyedQueue();
  readonly #pending = new Map<string, PendingQuestion>();
  /** What `/memory` showed last. */
  readonly #listed = new Map<string, readonly string[]>();

  constructor(options: MemoryCommandsOptions) {
    const known = ['memory', 'sessions', 'consolidator', 'artifacts', 'profiles', 'answerWithinMs', 'runtime'];
    rejectUnknownOptions(options, known, 'memoryCommands');
    const { memory, sessions, runtime = systemRuntime() } = options;
    if (typeof sessions?.deleteSession !== 'function') throw invalidInput('sessions', 'a SessionService', sessions);
    if (memory) this.#memory = fullMemory(memory, 'memoryCommands');
    this.#options = options;
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
    const pending = this.#take(ref);
    if (!pending) return this.#command(text, ref);
    const answer = text.toLowerCase();
    if (answer === 'yes') return pending.forget();
    const { kept } = pending;
    if (answer === '' || answer === 'no' || answer === 'n') return { text: kept };
    const next = await this.#command(text, ref);
    return next ? { ...next, text: `${kept}\n${next.text}` } : { text: kept, isMessage: true };
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
        return argument === '' ? this.#askToForget(ref) : this.#forgetOne(argument, ref);
      case 'reset':
        return this.#reset(ref);
      default:
        return undefined;
    }
  }

  async #remember(fact: string, { appName, userId, signal }: SessionRef & CallOptions): Promise<CommandAnswer> {
    if (!this.#memory) return { text: MEMORY_IS_OFF };
    if (oneLine(fact, MAX_LINE_CHARACTERS) === '') return { text: 'What shall be remembered? Write /remember <fact>.' };
    const content = { role: 'user' as const, parts: [{ text: fact }] };
    const memories = [{ kind: 'note' as const, content, author: 'user' }];
    await this.#memory.addMemory({ appName, userId, memories, signal });
    return { text: `Remembered: ${oneLine(fact, MAX_LINE_CHARACTERS)}` };
  }

  async #list(query: string, ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    if (!this.#memory) return { text: MEMORY_IS_OFF };
    const { memories, more } = await this.#find(this.#memory, query, ref);
    hold(
      this.#listed,
      sessionKeyOf(ref),
      memories.map(({ id }) => id),
    );
    if (memories.length === 0) return { text: query ? 'No memory fits that.' : 'Nothing is remembered.' };
    const lines = memories.map((entry, i) => `${i + 1}. ${lineOf(entry, this.#runtime.now())}`);
    if (more > 0) lines.push(`… and ${more} more. /memory <query> looks among all.`);
    return { text: lines.join('\n') };
  }

  async #find(
    memory: FullMemory,
    query: string,
    { appName, userId, signal }: SessionRef & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; more: number }> {
    const user = { appName, userId, signal };
    if (query) return { memories: (await memory.searchMemory({ ...user, query })).memories, more: 0 };
    // What is a list's default is the service's to say: facts and notes here, turns where there are only those.
    const all = await listAllMemories(memory, { ...user, filter: {} });
    return { memories: all.slice(-MAX_LISTED), more: Math.max(0, all.length - MAX_LISTED) };
  }

  async #forgetOne(argument: string, ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    const memory = this.#memory;
    if (!memory) return { text: MEMORY_IS_OFF };
    const id = /^\d+$/.test(argument) ? this.#listed.get(sessionKeyOf(ref))?.[Number(argument) - 1] : undefined;
    if (id === undefined) return { text: 'There is no such line: /memory lists them with their numbers.' };
    const { appName, userId, signal } = ref;
    const { count, remaining } = await forgetMemory(memory, { appName, userId, ids: [id], signal });
    if (count === 0) return { text: 'That was forgotten already.' };
    const text = 'Forgotten, with what it was drawn from.';
    if (remaining.length === 0) return { text };
    const ids = remaining.map((entry) => entry.id);
    this.#ask(ref, 'These memories stay.', async () => {
      const more = await memory.deleteMemory({ appName, userId, ids });
      return { text: `Forgotten: ${counted(more)}.` };
    });
    const lines = remaining.map((entry) => `- ${lineOf(entry, this.#runtime.now())}`);
    return { text: [text, 'This says the same:', ...lines, 'Forget it too? Answer yes or no.'].join('\n') };
  }

  async #askToForget(ref: SessionRef): Promise<CommandAnswer> {
    const memory = this.#memory;
    if (!memory) return { text: MEMORY_IS_OFF };
    this.#ask(ref, 'Nothing was forgotten.', async () => {
      const user = { appName: ref.appName, userId: ref.userId };
      const count = await memory.deleteUserMemory(user);
      this.#options.profiles?.forget(user);
      this.#listed.delete(sessionKeyOf(ref));
      return { text: `Forgotten: ${counted(count)}. This conversation stays.` };
    });
    return { text: 'Forget everything that is remembered of you? Answer yes or no.' };
  }

  #ask(ref: SessionRef, kept: string, forget: () => Promise<CommandAnswer>): void {
    const until = this.#runtime.now() + (this.#options.answerWithinMs ?? 120_000) / 1000;
    hold(this.#pending, sessionKeyOf(ref), { until, forget, kept });
  }

  async #reset(ref: SessionRef & CallOptions): Promise<CommandAnswer> {
    const { sessions, consolidator } = this.#options;
    const session = await sessions.getSession(ref);
    if (!session) return { text: 'There is nothing to clear.' };
    let outcome: ConsolidationOutcome | undefined;
    if (this.#memory && consolidator) outcome = await consolidator.consolidate(ref);
    else if (this.#memory) await this.#memory.addSessionToMemory(session, { signal: ref.signal });
    if (outcome !== 'deleted' && outcome !== 'gone' && outcome !== 'spoken')
      outcome = await this.#clear(session, outcome);
    if (outcome === 'spoken') return { text: 'Something is still being said here: nothing was cleared. Try again.' };
    this.#listed.delete(sessionKeyOf(ref));
    const kept = this.#memory ? 'The conversation is in memory now. ' : '';
    return { text: `${kept}A new one has begun.`, isCleared: true };
  }

  /** What stands there is in memory, or was never to be: nothing else goes. */
  async #clear(read: Session, outcome: ConsolidationOutcome | undefined): Promise<'deleted' | 'gone' | 'spoken'> {
    const { sessions, artifacts } = this.#options;
    const { appName, userId, id: sessionId } = read;
    // A kept session has a mark that came after what was read.
    const now =
      outcome === 'kept' ? await sessions.getSession({ appName, userId, sessionId, numRecentEvents: 0 }) : read;
    if (!now) return 'gone';
    if (outcome === 'kept' && !isConsolidated(now)) return 'spoken';
    const [leasing, runtime, holder] = [this.#leasing, this.#runtime, this.#holder];
    return deleteQuietSession(now, { sessions, leasing, artifacts, runtime, holder });
  }

  #take(ref: SessionRef): PendingQuestion | undefined {
    const key = sessionKeyOf(ref);
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    return pending && this.#runtime.now() <= pending.until ? pending : undefined;
  }
}

function hold<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MAX_SESSIONS) map.delete(map.keys().next().value!);
}

function counted(memories: number): string {
  return memories === 1 ? 'one memory' : `${memories} memories`;
}

function lineOf(entry: MemoryEntry, now: number): string {
  const { kind, author, content } = entry;
  const who = kind === 'turn' ? `${oneLine(author ?? 'somebody', 40)}: ` : kind === 'note' ? 'kept: ' : '';
  const past = isCurrentMemory(entry, now) ? '' : ' (no longer true)';
  return `${who}${oneLine(textOf(content), MAX_LINE_CHARACTERS)}${past}`;
}
