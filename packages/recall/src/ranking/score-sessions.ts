import { rareness } from '../index/bm25.ts';
import { countOf, PLACE } from '../index/word-table.ts';
import type { Bm25Parts } from './bm25-parts.ts';
import { worthOf } from './query-words.ts';
import { LAST_LINK, MARKS } from './ranking-room.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';

/** BM25 of each session of several stretches whose first one `room.joined` holds, into `room.sessions`. */
export function scoreJoined({ turns }: RecallIndex, { k1, plain, byLength }: Bm25Parts, room: RankingRoom): void {
  const { joined, around, inSessions, sessions, sessionsTouched, wordCount } = room;
  const { after, sessions: sessionOf } = turns.stretches;
  const { lengths } = turns.ofSessions;
  for (let i = 0; i < joined.length; i++) {
    const session = sessionOf[joined.at(i)]!;
    for (let at = joined.at(i); at >= 0; at = after[at]!) countWords(at, room);
    let score = 0;
    for (let word = 0; word < wordCount; word++) {
      const count = around[word]!;
      if (count === 0) continue;
      around[word] = 0;
      score += (inSessions[word]! * (k1 + 1) * count) / (count + (plain + byLength * lengths[session]!));
    }
    sessions[session] = score;
    sessionsTouched.push(session);
  }
}

function countWords(stretch: number, { rowOf, marks, links, around }: RankingRoom): void {
  const row = rowOf[stretch]! - 1;
  if (row < 0) return;
  for (let at = marks[row * MARKS + LAST_LINK]! - 1; at >= 0; at = links[at + 3]! - 1)
    around[links[at]!]! += countOf(links[at + 1]!);
}

/** BM25 of each session for a query that names somebody: who speaks counts as a word, once for each turn. */
export function scoreNamedSessions(
  index: RecallIndex,
  query: Query,
  { k1, plain, byLength }: Bm25Parts,
  room: RankingRoom,
): void {
  const { sessions, sessionsTouched, sessionCounts, sessionsAtHand } = room;
  const { lengths, count: sessionCount } = index.turns.ofSessions;
  const speakers = speakersOf(index, query);
  for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++) sessions[items[i]!] = 0;
  sessionsTouched.length = 0;
  for (const word of [...query.words, ...query.nameWords]) {
    const number = index.words.find(word);
    const places = number === undefined ? [] : index.words.placesOf(number);
    for (let i = 0; i < places.length; i += PLACE)
      countInSession(index.turns.stretches.sessions[places[i]!]!, countOf(places[i + 1]!), room);
    for (const author of speakers.get(word) ?? [])
      for (const [session, count] of index.authors.sessionsOf(author)) countInSession(session, count, room);
    const worth = worthOf(word) * rareness(sessionCount, sessionsAtHand.length);
    for (let i = 0, { items } = sessionsAtHand; i < sessionsAtHand.length; i++) {
      const session = items[i]!;
      const count = sessionCounts[session]!;
      sessionCounts[session] = 0;
      if (sessions[session] === 0) sessionsTouched.push(session);
      sessions[session]! += (worth * (k1 + 1) * count) / (count + (plain + byLength * lengths[session]!));
    }
    sessionsAtHand.length = 0;
  }
}

/** The largest of all sessions. */
export function largestSession({ sessions, sessionsTouched }: RankingRoom): number {
  let largest = 0;
  for (let i = 0, { items } = sessionsTouched; i < sessionsTouched.length; i++)
    if (sessions[items[i]!]! > largest) largest = sessions[items[i]!]!;
  return largest;
}

function countInSession(session: number, count: number, { sessionCounts, sessionsAtHand }: RankingRoom): void {
  const before = sessionCounts[session]!;
  if (before === 0) sessionsAtHand.push(session);
  sessionCounts[session] = before + count;
}

function speakersOf(index: RecallIndex, query: Query): Map<string, number[]> {
  const speakers = new Map<string, number[]>();
  for (const { author, words } of index.authors.present()) {
    if (!query.named.includes(author)) continue;
    for (const word of words) speakers.set(word, [...(speakers.get(word) ?? []), author]);
  }
  return speakers;
}
