import { textOf, TholeError } from '@thole/core';
import { invalidInput, isPlainObject, optionNames, rejectUnknownOptions, withoutQuotedMemory } from '@thole/core/kit';
import type {
  AddMemoryRequest,
  CallOptions,
  Content,
  Event,
  MaybePromise,
  MemoryEntry,
  MemoryFilter,
  MemoryRef,
  MemoryService,
  NewMemory,
  Optional,
  SearchMemoryRequest,
  SearchMemoryResponse,
  Session,
  SessionRef,
} from '@thole/core';
import { requireMemory } from '../require-memory.ts';
import type { FullMemory } from '../require-memory.ts';
import { setTraits, traitsOf } from '../wrapper-traits.ts';

/** Options of `RedactingMemoryService`. */
export interface RedactingMemoryServiceOptions {
  /** Any memory service with all optional methods. */
  memory: MemoryService;
  /** Returns the text that may be stored. If it throws, the call throws the same error and nothing is stored. */
  redact: (text: string) => MaybePromise<string>;
}

const redactingOptionNames = optionNames<RedactingMemoryServiceOptions>({ memory: true, redact: true });

/**
 * Passes every text to `redact` before the wrapped service receives it: turns, facts, notes and queries, before they are stored or
 * embedded. A turn or fact whose redacted text is empty is not stored. A note or changed text that is empty then throws
 * `INVALID_INPUT`. Entries that were stored before do not change.
 */
export class RedactingMemoryService implements MemoryService {
  /** Marks this service. A service that reads texts before the wrapped memory receives them rejects it. */
  readonly redacts = true;
  readonly #memory: FullMemory;
  readonly #redact: (text: string) => MaybePromise<string>;

  constructor(options: RedactingMemoryServiceOptions) {
    rejectUnknownOptions(options, redactingOptionNames, 'RedactingMemoryService');
    const { memory, redact } = options;
    this.#memory = requireMemory(memory, 'RedactingMemoryService');
    if (typeof redact !== 'function') throw invalidInput('redact', 'a function from string to string', redact);
    this.#redact = redact;
    setTraits(this, traitsOf(this.#memory));
  }

  async addSessionToMemory(session: Session, call: CallOptions = {}): Promise<void> {
    call.signal?.throwIfAborted();
    const events = Array.isArray(session?.events) ? await this.#redactEvents(session.events) : undefined;
    await this.#memory.addSessionToMemory(events ? { ...session, events } : session, call);
  }

  async addEventsToMemory(p: SessionRef & { events: readonly Event[] } & CallOptions): Promise<void> {
    const events = Array.isArray(p.events) ? await this.#redactEvents(p.events) : p.events;
    await this.#memory.addEventsToMemory({ ...p, events });
  }

  async addMemory(p: AddMemoryRequest): Promise<MemoryEntry[]> {
    if (typeof p.memory === 'string' && p.memory !== '') {
      const memory = await this.#redactText(withoutQuotedMemory(p.memory));
      if (isBlank(memory) && !isBlank(p.memory)) throw nothingLeft('memory');
      return this.#memory.addMemory({ ...p, memory });
    }
    if (!Array.isArray(p.memories)) return this.#memory.addMemory(p);
    const memories: NewMemory[] = [];
    for (const [i, memory] of (p.memories as readonly NewMemory[]).entries()) {
      const redacted = await this.#redactContent(memory);
      if (!lostText(memory, redacted)) memories.push(redacted);
      else if (memory.kind === 'note') throw nothingLeft(`memories[${i}]`);
    }
    return this.#memory.addMemory({ ...p, memories });
  }

  getMemory(p: MemoryRef & { id: string } & CallOptions): Promise<MemoryEntry | undefined> {
    return this.#memory.getMemory(p);
  }

  async findSameMemories(p: MemoryRef & { ids: readonly string[] } & CallOptions): Promise<MemoryEntry[]> {
    return requireMemory(this.#memory, 'findSameMemories', ['findSameMemories']).findSameMemories(p);
  }

  async updateMemory(
    p: MemoryRef & {
      id: string;
      change: Optional<Omit<MemoryEntry, 'id' | 'score'>>;
    } & CallOptions,
  ): Promise<MemoryEntry | undefined> {
    const change = await this.#redactContent(p.change);
    if (lostText(p.change, change)) throw nothingLeft('change.content');
    return this.#memory.updateMemory({ ...p, change });
  }

  async searchMemory(p: SearchMemoryRequest): Promise<SearchMemoryResponse> {
    const isText = typeof p.query === 'string' && p.query.trim() !== '';
    return this.#memory.searchMemory(isText ? { ...p, query: await this.#redactText(p.query) } : p);
  }

  listMemories(
    p: MemoryRef & {
      limit?: number | undefined;
      cursor?: string | undefined;
      filter?: MemoryFilter | undefined;
    } & CallOptions,
  ): Promise<{ memories: MemoryEntry[]; next?: string | undefined }> {
    return this.#memory.listMemories(p);
  }

  deleteMemory(
    p: MemoryRef & { ids: readonly string[]; keepEvidence?: boolean | undefined } & CallOptions,
  ): Promise<number> {
    return this.#memory.deleteMemory(p);
  }

  deleteSessionMemory(
    p: SessionRef & MemoryRef & { events?: readonly Event[] | undefined } & CallOptions,
  ): Promise<number> {
    return this.#memory.deleteSessionMemory(p);
  }

  deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    return this.#memory.deleteUserMemory(p);
  }

  /** Closes the wrapped service, if it can be closed. */
  async close(): Promise<void> {
    await (this.#memory as { close?(): unknown }).close?.();
  }

  // The wrapped service rejects values that are not events.
  async #redactEvents(events: readonly Event[]): Promise<Event[]> {
    const redacted: Event[] = [];
    for (const event of events) redacted.push(await this.#redactContent(event));
    return redacted;
  }

  async #redactText(text: string): Promise<string> {
    const redacted: unknown = await this.#redact(text);
    if (typeof redacted !== 'string') throw invalidInput('The result of redact', 'a string', redacted);
    return redacted;
  }

  async #redactContent<T extends { content?: Content | undefined }>(value: T): Promise<T> {
    const parts = value?.content?.parts;
    if (!Array.isArray(parts)) return value;
    const redacted: NonNullable<Content['parts']> = [];
    for (const part of parts as NonNullable<Content['parts']>) {
      const isText = typeof part?.text === 'string' && part.text !== '';
      // Quoted memory is removed before, because it could not be recognized after redaction.
      redacted.push(isText ? { ...part, text: await this.#redactText(withoutQuotedMemory(part.text!)) } : part);
    }
    return { ...value, content: { ...value.content, parts: await this.#redactJoined(redacted) } };
  }

  /** Joins the texts of parts if a text to redact extends over several of them. */
  async #redactJoined(parts: NonNullable<Content['parts']>): Promise<NonNullable<Content['parts']>> {
    const [first, ...others] = parts.filter((part) => typeof part?.text === 'string' && !part.thought);
    if (others.length === 0) return parts;
    const joined = textOf({ parts: [first!, ...others] });
    const text = joined === '' ? '' : await this.#redactText(joined);
    if (text === joined) return parts;
    return parts.filter((part) => !others.includes(part)).map((part) => (part === first ? { ...part, text } : part));
  }
}

const isBlank = (text: string): boolean => text.trim() === '';

/** True if redaction has left nothing of the text of an entry. */
function lostText(before: { content?: Content | undefined }, after: { content?: Content | undefined }): boolean {
  if (!isPlainObject(before) || before.content === after.content) return false;
  return isBlank(textOf(after.content)) && !isBlank(textOf(before.content));
}

function nothingLeft(argument: string): TholeError {
  return new TholeError('INVALID_INPUT', `${argument} has no text after redaction, so it is not stored.`);
}
