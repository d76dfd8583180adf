import { readFileSync } from 'node:fs';
import { packMemory } from '@thole/core';
import type { MemoryEntry, Session } from '@thole/core';
import { InMemoryMemoryService } from '@thole/mem-services';
import type { Peer } from './memory-peers.ts';

interface Conversation {
  id: string;
  sessions: { id: string; events: { id: string; author: string; timestamp: number; text: string }[] }[];
  questions: { text: string; category: string; evidence: string[] }[];
}

/** Means over all questions, in percent. */
export interface RecallScore {
  r5: number;
  r10: number;
  r20: number;
  mrr: number;
}

const PACKED = { maxTokens: 900, limit: 60 };

/**
 * Questions on long conversations with the turns that answer them: `[{id, sessions: [{id, events: [{id, author, timestamp, text}]}],
 * questions: [{text, category, evidence: [event id]}]}]`. LoCoMo has this form once it is reduced to it (github.com/snap-research/locomo).
 */
export class RecallData {
  readonly #conversations: readonly Conversation[];

  constructor(conversations: readonly Conversation[]) {
    this.#conversations = conversations;
  }

  static read(path: string): RecallData {
    return new RecallData(JSON.parse(readFileSync(path, 'utf8')) as Conversation[]);
  }

  get questions(): number {
    return this.#conversations.reduce((sum, { questions }) => sum + questions.length, 0);
  }

  /** The same talk as long messages, each of so many turns one after the other: not how people write, but as long as some do. */
  joined(turns: number): RecallData {
    return new RecallData(this.#conversations.map((conversation) => joined(conversation, turns)));
  }

  /** Our memory, and how much of the evidence stands in what would be put into a prompt. */
  async ours(): Promise<RecallScore & { packed: number }> {
    const tally = new Tally();
    let packed = 0;
    for (const conversation of this.#conversations) {
      const user = { appName: 'recall', userId: conversation.id };
      const memory = new InMemoryMemoryService();
      for (const session of conversation.sessions) await memory.addSessionToMemory(sessionOf(conversation, session));
      for (const { text, evidence } of conversation.questions) {
        const { memories } = await memory.searchMemory({ ...user, query: text, limit: PACKED.limit });
        tally.add(
          memories.slice(0, 20).map(({ eventId }) => eventId!),
          evidence,
        );
        packed += share(evidence, (id) => isPacked(memories, id));
      }
    }
    return { ...tally.score(), packed: (100 * packed) / this.questions };
  }

  async peer(make: () => Peer): Promise<RecallScore> {
    const tally = new Tally();
    for (const conversation of this.#conversations) {
      const events = conversation.sessions.flatMap((session) => session.events);
      const peer = make();
      await peer.add(events.map(({ text }) => text));
      for (const { text, evidence } of conversation.questions) {
        const found = await peer.search(text, 20);
        tally.add(
          found.map((i) => events[i]!.id),
          evidence,
        );
      }
      peer.close();
    }
    return tally.score();
  }
}

function joined({ id, sessions, questions }: Conversation, turns: number): Conversation {
  const joinedInto = new Map<string, string>();
  const longer = sessions.map((session) => {
    // Each of one author: of a stretch of talk, what the one said and then what the other did.
    const parts = Array.from({ length: Math.ceil(session.events.length / (2 * turns)) }, (_, i) =>
      session.events.slice(i * 2 * turns, (i + 1) * 2 * turns),
    ).flatMap((stretch) => Object.values(Object.groupBy(stretch, ({ author }) => author)) as (typeof stretch)[]);
    for (const part of parts) for (const event of part) joinedInto.set(event.id, part[0]!.id);
    const events = parts.map((part) => ({ ...part[0]!, text: part.map(({ text }) => text).join(' ') }));
    return { id: session.id, events };
  });
  const asked = questions.map((question) => ({
    ...question,
    evidence: [...new Set(question.evidence.map((event) => joinedInto.get(event) ?? event))],
  }));
  return { id, sessions: longer, questions: asked };
}

function sessionOf(conversation: Conversation, { id, events }: Conversation['sessions'][number]): Session {
  const user = events[0]!.author;
  return {
    id,
    appName: 'recall',
    userId: conversation.id,
    state: {},
    lastUpdateTime: events.at(-1)!.timestamp,
    lastSeq: events.length,
    incarnation: id,
    events: events.map(({ text, ...event }) => ({
      ...event,
      invocationId: event.id,
      content: { role: event.author === user ? 'user' : 'model', parts: [{ text }] },
      actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    })),
  };
}

// Taken out of the block again: an entry is in it if the block is another without it.
function isPacked(memories: readonly MemoryEntry[], eventId: string): boolean {
  const entry = memories.find((one) => one.eventId === eventId);
  if (!entry) return false;
  const options = { maxTokens: PACKED.maxTokens, now: 0 };
  const marked = memories.map((one) =>
    one === entry ? { ...one, content: { parts: [{ text: swapped(one) }] } } : one,
  );
  return packMemory(marked, options) !== packMemory(memories, options);
}

// As long as before: only the last letter is another.
function swapped({ content }: MemoryEntry): string {
  const text = (content.parts ?? [])
    .map((part) => part.text ?? '')
    .join('')
    .trimEnd();
  return `${text.slice(0, -1)}${text.endsWith('x') ? 'z' : 'x'}`;
}

class Tally {
  #sums = [0, 0, 0, 0];
  #asked = 0;

  add(found: readonly string[], evidence: readonly string[]): void {
    const first = found.findIndex((id) => evidence.includes(id));
    const at = (k: number): number => share(evidence, (id) => found.slice(0, k).includes(id));
    [at(5), at(10), at(20), first < 0 ? 0 : 1 / (first + 1)].forEach((value, i) => (this.#sums[i]! += value));
    this.#asked++;
  }

  score(): RecallScore {
    const [r5, r10, r20, mrr] = this.#sums.map((sum) => (100 * sum) / this.#asked);
    return { r5: r5!, r10: r10!, r20: r20!, mrr: mrr! };
  }
}

function share(evidence: readonly string[], isThere: (id: string) => boolean): number {
  return evidence.filter(isThere).length / evidence.length;
}
