import { longTexts, rareness } from '../index/bm25.ts';
import { countOf, PLACE } from '../index/word-table.ts';
import { worthOf } from './known-words.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { Query } from './read-query.ts';
import type { RecallIndex } from './recall-index.ts';

/** BM25 of each session in which a word of the query stands or somebody of that name speaks, into `room.sessions`. Answers the largest. */
export function scoreSessions(index: RecallIndex, query: Query, room: RankingRoom): number {
  const { turns } = index;
  const { sessions, sessionsTouched } = room;
  const { k1, b } = longTexts;
  const { lengths, count: sessionCount } = turns.ofSessions;
  const average = turns.totalLength / (sessionCount || 1) || 1;
  const [plain, byLength] = [k1 * (1 - b), (k1 * b) / average];
  const speakers = speakersOf(index, query);
  const { before, after, sessions: sessionOf } = turns.stretches;
  const { sessionCounts, sessionsAtHand } = room;
  for (const word of [...query.words, ...query.nameWords]) {
    const number = index.words.find(word);
    const places = number === undefined ? [] : index.words.placesOf(number);
    const speaking = speakers.get(word) ?? [];
    // Most sessions are of one stretch: what is counted in it is counted.
    let single = 0;
    for (let i = 0; i < places.length; i += PLACE) {
      const stretch = places[i]!;
      if (speaking.length === 0 && before[stretch]! < 0 && after[stretch]! < 0) single++;
      else countInSession(sessionOf[stretch]!, countOf(places[i + 1]!), room);
    }
    for (const author of speaking)
      for (const [session, count] of index.authors.sessionsOf(author)) countInSession(session, count, room);
    const worth = worthOf(word) * rareness(sessionCount, single + sessionsAtHand.length) * (k1 + 1);
    const add = (session: number, count: number): void => {
      if (sessions[session] === 0) sessionsTouched.push(session);
      sessions[session]! += (worth * count) / (count + plain + byLength * lengths[session]!);
    };
    for (let i = 0; single > 0 && i < places.length; i += PLACE) {
      const stretch = places[i]!;
      if (before[stretch]! < 0 && after[stretch]! < 0) add(sessionOf[stretch]!, countOf(places[i + 1]!));
    }
    for (let i = 0, { items } = sessionsAtHand; i < sessionsAtHand.length; i++) {
      add(items[i]!, sessionCounts[items[i]!]!);
      sessionCounts[items[i]!] = 0;
    }
    sessionsAtHand.length = 0;
  }
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
