import { packMemory } from '@thole/core/kit';
import type { MemoryEntry, Session } from '@thole/core';
import type { MemoryBackend } from './memory-backends.ts';
import type { Peer } from './memory-peers.ts';
import type { Conversation } from './recall-data.ts';

/** Means over questions, in percent. */
export interface RecallScore {
  r5: number;
  r10: number;
  r20: number;
  mrr: number;
}

/** Scores of all questions and by category, and the share of the evidence in a packed prompt. */
export interface BackendScore extends RecallScore {
  byCategory: ReadonlyMap<string, RecallScore>;
  packed: number;
}

const PACKED = { maxTokens: 900, limit: 60 };
const ALL = 'all';

/** Scores Thole's memory on a backend. Each conversation has a separate user, whose memory is deleted afterwards. */
export async function scoreBackend(
  conversations: readonly Conversation[],
  { memory, setTime }: MemoryBackend,
): Promise<BackendScore> {
  const tally = new Tally();
  let packed = 0;
  let asked = 0;
  for (const conversation of conversations) {
    const user = { appName: 'recall', userId: conversation.id };
    setTime(undefined);
    for (const session of conversation.sessions) await memory.addSessionToMemory(sessionOf(conversation, session));
    for (const { text, evidence, category, askedAt } of conversation.questions) {
      setTime(askedAt);
      const { memories } = await memory.searchMemory({ ...user, query: text, limit: PACKED.limit });
      tally.add(
        category,
        memories.slice(0, 20).map(({ eventId }) => eventId!),
        evidence,
      );
      packed += shareOf(evidence, (id) => isPacked(memories, id));
      asked++;
    }
    setTime(undefined);
    await memory.deleteUserMemory?.(user);
  }
  return { ...tally.scoreOf(ALL), byCategory: tally.byCategory(), packed: (100 * packed) / asked };
}

/** Scores another search on the same texts. */
export async function scorePeer(conversations: readonly Conversation[], make: () => Peer): Promise<RecallScore> {
  const tally = new Tally();
  for (const { sessions, questions } of conversations) {
    const events = sessions.flatMap((session) => session.events);
    const peer = make();
    await peer.add(events.map(({ text }) => text));
    for (const { text, evidence, category } of questions) {
      const found = await peer.search(text, 20);
      tally.add(
        category,
        found.map((i) => events[i]!.id),
        evidence,
      );
    }
    peer.close();
  }
  return tally.scoreOf(ALL);
}

function sessionOf(conversation: Conversation, { id, events }: Conversation['sessions'][number]): Session {
  const user = conversation.sessions[0]!.events[0]!.author;
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

/** True if the packed text contains the entry of an event, because it changes with the entry. */
function isPacked(memories: readonly MemoryEntry[], eventId: string): boolean {
  const entry = memories.find((one) => one.eventId === eventId);
  if (!entry) return false;
  const options = { maxTokens: PACKED.maxTokens, now: 0 };
  const marked = memories.map((one) =>
    one === entry ? { ...one, content: { parts: [{ text: withOtherLetter(one) }] } } : one,
  );
  return packMemory(marked, options) !== packMemory(memories, options);
}

/** Returns the text of an entry with another last letter, so that its length stays the same. */
function withOtherLetter({ content }: MemoryEntry): string {
  const text = (content.parts ?? [])
    .map((part) => part.text ?? '')
    .join('')
    .trimEnd();
  return `${text.slice(0, -1)}${text.endsWith('x') ? 'z' : 'x'}`;
}

class Tally {
  readonly #rows = new Map<string, number[][]>();

  add(category: string, found: readonly string[], evidence: readonly string[]): void {
    const first = found.findIndex((id) => evidence.includes(id));
    const at = (k: number): number => shareOf(evidence, (id) => found.slice(0, k).includes(id));
    const row = [at(5), at(10), at(20), first < 0 ? 0 : 1 / (first + 1)];
    for (const group of [ALL, category]) {
      const rows = this.#rows.get(group) ?? [];
      rows.push(row);
      this.#rows.set(group, rows);
    }
  }

  scoreOf(group: string): RecallScore {
    const rows = this.#rows.get(group) ?? [];
    const [r5, r10, r20, mrr] = [0, 1, 2, 3].map(
      (i) => (100 * rows.reduce((sum, row) => sum + row[i]!, 0)) / rows.length,
    );
    return { r5: r5!, r10: r10!, r20: r20!, mrr: mrr! };
  }

  byCategory(): Map<string, RecallScore> {
    const groups = [...this.#rows.keys()].filter((group) => group !== ALL);
    return new Map(groups.map((group) => [group, this.scoreOf(group)]));
  }
}

function shareOf(evidence: readonly string[], isFound: (id: string) => boolean): number {
  return evidence.filter(isFound).length / evidence.length;
}
