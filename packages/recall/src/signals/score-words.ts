import { isVariant } from '../analysis/analyzer.ts';
import { longTexts, inverseDocumentFrequency } from '../index/bm25.ts';
import type { Bm25Weights } from '../index/bm25.ts';
import { countOf, slotOf } from '../index/postings.ts';
import type { RecallIndex } from '../index/recall-index.ts';
import { WindowBm25 } from './score-windows.ts';
import type { QueryWord } from './query-words.ts';
import type { Query } from './read-query.ts';
import type { ScoringScratch } from './scoring-scratch.ts';

/** Writes BM25 of every turn with a query word to `scratch.ownWords`. */
export function scoreOwnWords(
  { turns }: RecallIndex,
  words: readonly QueryWord[],
  { k1, b }: Bm25Weights,
  { ownWords, matches, matchedSlots }: ScoringScratch,
): void {
  const { lengths } = turns;
  const average = turns.totalLength / (turns.size || 1) || 1;
  for (const { postings, idf } of words) {
    for (let i = 0; i < postings.length; i++) {
      const slot = slotOf(postings[i]!);
      const count = countOf(postings[i]!);
      if (matches[slot] === 0) matchedSlots.push(slot);
      matches[slot]!++;
      ownWords[slot]! += (idf * (k1 + 1) * count) / (count + k1 * (1 - b + (b * lengths[slot]!) / average));
    }
  }
}

/**
 * Writes BM25 of every session with a query word to `scratch.sessions`, and upper bounds for its turns. The names of authors in
 * the query count as words of a session, once per turn of the author, but not for its length.
 */
export function scoreSessions(
  index: RecallIndex,
  words: readonly QueryWord[],
  query: Query,
  scratch: ScoringScratch,
): void {
  const authors = authorsByNameWord(index, query);
  for (const word of words) addToSessions(index, word, [], scratch, { isScored: authors.size === 0 });
  if (authors.size > 0) {
    for (const word of [...query.words, ...query.nameWords]) {
      const number = index.words.find(word);
      const postings = number === undefined ? [] : index.words.postingsOf(number);
      const weight = isVariant(word) ? 0.5 : 1;
      addToSessions(index, { postings, weight, idf: 0 }, authors.get(word) ?? [], scratch, { isScored: true });
    }
  }
  const { matchedSlots, ownWords, maxOwn, maxAnswered } = scratch;
  for (const slot of matchedSlots) {
    const session = index.turns.sessions[slot]!;
    if (ownWords[slot]! > maxOwn[session]!) maxOwn[session] = ownWords[slot]!;
    if (ownWords[slot]! > maxAnswered[session]! && index.turns.isAnswered(slot)) maxAnswered[session] = ownWords[slot]!;
  }
}

/** Returns the authors that the query names, by each word of their names. */
function authorsByNameWord({ authors }: RecallIndex, query: Query): Map<string, number[]> {
  const found = new Map<string, number[]>();
  if (query.namedAuthors.length === 0) return found;
  for (const { author, words } of authors.namedAuthors()) {
    if (!query.namedAuthors.includes(author)) continue;
    for (const word of words) found.set(word, [...(found.get(word) ?? []), author]);
  }
  return found;
}

/** Adds one word to the scores and upper bounds of the sessions that have it. */
function addToSessions(
  { turns, authors }: RecallIndex,
  { postings, weight, idf }: QueryWord,
  named: readonly number[],
  scratch: ScoringScratch,
  { isScored }: { isScored: boolean },
): void {
  const { k1, b } = longTexts;
  const { lengths, count: sessionCount } = turns.sessionCounts;
  const average = turns.totalLength / (sessionCount || 1) || 1;
  const windowBm25 = new WindowBm25(turns);
  const { sessions, sessionCounts, maxWindow } = scratch;
  const sessionsWithWord: number[] = [];
  for (let i = 0; i < postings.length; i++) {
    const session = turns.sessions[slotOf(postings[i]!)]!;
    if (sessionCounts[session] === 0) sessionsWithWord.push(session);
    sessionCounts[session]! += countOf(postings[i]!);
  }
  for (const author of named) {
    for (const [session, count] of authors.sessionsOf(author)) {
      if (sessionCounts[session] === 0) sessionsWithWord.push(session);
      sessionCounts[session]! += count;
    }
  }
  const inSessions = isScored ? weight * inverseDocumentFrequency(sessionCount, sessionsWithWord.length) : 0;
  for (let i = 0; i < sessionsWithWord.length; i++) {
    const session = sessionsWithWord[i]!;
    const count = sessionCounts[session]!;
    sessionCounts[session] = 0;
    scratch.addMatchedSession(session);
    sessions[session]! += (inSessions * (k1 + 1) * count) / (count + k1 * (1 - b + (b * lengths[session]!) / average));
    if (idf !== 0) maxWindow[session]! += windowBm25.upperBound(idf, count, turns.shortestWindow(session));
  }
}
