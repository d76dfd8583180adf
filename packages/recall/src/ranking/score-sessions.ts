import { longTexts, rareness } from '../index/bm25.ts';
import { countOf, slotOf } from '../index/posting-list.ts';
import type { Query } from './read-query.ts';
import type { RankingRoom } from './ranking-room.ts';
import type { RecallIndex } from './recall-index.ts';
import { worthOf } from './score-words.ts';

/** BM25 of each session in which a word of the query stands or somebody of that name speaks, into `room.sessions`. Answers the largest. */
export function scoreSessions(index: RecallIndex, query: Query, room: RankingRoom): number {
  const { turns } = index;
  const { sessions, sessionCounts, sessionsAtHand, sessionsTouched } = room;
  const { k1, b } = longTexts;
  const average = turns.totalLength / (turns.sessionCount || 1) || 1;
  const [plain, byLength] = [k1 * (1 - b), (k1 * b) / average];
  const speakers = speakersOf(index, query);
  for (const word of [...query.words, ...query.nameWords]) {
    const number = index.words.find(word);
    const postings = number === undefined ? [] : index.words.postingsOf(number);
    for (let i = 0; i < postings.length; i++) {
      const session = turns.sessions[slotOf(postings[i]!)]!;
      if (sessionCounts[session] === 0) sessionsAtHand.push(session);
      sessionCounts[session]! += countOf(postings[i]!);
    }
    for (const author of speakers.get(word) ?? []) {
      for (const [session, count] of index.authors.sessionsOf(author)) {
        if (sessionCounts[session] === 0) sessionsAtHand.push(session);
        sessionCounts[session]! += count;
      }
    }
    const worth = worthOf(word) * rareness(turns.sessionCount, sessionsAtHand.length) * (k1 + 1);
    for (let i = 0; i < sessionsAtHand.length; i++) {
      const session = sessionsAtHand.at(i);
      const count = sessionCounts[session]!;
      sessionCounts[session] = 0;
      if (sessions[session] === 0) sessionsTouched.push(session);
      sessions[session]! += (worth * count) / (count + plain + byLength * turns.sessionLengths[session]!);
    }
    sessionsAtHand.length = 0;
  }
  let largest = 0;
  for (let i = 0; i < sessionsTouched.length; i++) largest = Math.max(largest, sessions[sessionsTouched.at(i)]!);
  return largest;
}

function speakersOf(index: RecallIndex, query: Query): Map<string, number[]> {
  const speakers = new Map<string, number[]>();
  for (const { author, words } of index.authors.present()) {
    if (!query.named.includes(author)) continue;
    for (const word of words) speakers.set(word, [...(speakers.get(word) ?? []), author]);
  }
  return speakers;
}
