import { readFileSync } from 'node:fs';
import type { MemoryEntry } from '@thole/core';
import { wordRanking } from '@thole/recall';
import type { MemoryIndex } from '@thole/recall';

/** A question and the memory that contains its answer, as lines of "user: …", "agent: …" or "fact: …". */
export interface Question {
  language: string;
  domain: string;
  question: string;
  /** Index of the line with the answer. */
  answer: number;
  memory: string[];
}

/** A message without an answer in the memory. */
export interface Message {
  language: string;
  kind: string;
  text: string;
}

export const questions: readonly Question[] = read<Question>('questions.json');
export const messages: readonly Message[] = read<Message>('messages-without-answer.json');
/** Lines that share words with the questions but do not answer them. */
const others = read<{ language: string; text: string }>('other-memories.json');

const DAY = 86_400;
const BEGIN = Date.parse('2024-01-08T09:00:00Z') / 1000;
/** The time of the searches: a week after the last session. */
const NOW = BEGIN + (3 * questions.length + 7) * DAY;

/** One memory per language: all its cases, each in a separate session three days apart, and other lines. */
export class EverydayMemory {
  readonly #indexes = new Map<string, MemoryIndex>();

  constructor() {
    const scope = { appName: 'everyday', userId: 'user' };
    const ranking = wordRanking();
    for (const { language } of questions)
      if (!this.#indexes.has(language)) this.#indexes.set(language, ranking.createIndex(scope));
    for (const [i, { language, memory }] of questions.entries())
      for (const [line, text] of memory.entries()) this.#indexes.get(language)!.put(entryOf(i, line, text));
    for (const [i, { language, text }] of others.entries())
      this.#indexes.get(language)!.put({ ...entryOf(i, 99, text), sessionId: `other-${i}` });
  }

  /** Returns the ids of the first five results. */
  async search(language: string, query: string, p: { minRelevance: number }): Promise<string[]> {
    const found = await this.#indexes.get(language)!.rank(query, { limit: 5, now: NOW, ...p });
    return found.map(({ id }) => id);
  }
}

/** Returns the id of a line of a case. */
export function idOf(question: number, line: number): string {
  return `${question}-${line}`;
}

function entryOf(question: number, line: number, text: string): MemoryEntry {
  const [author = '', ...rest] = text.split(': ');
  const isFact = author === 'fact';
  return {
    id: idOf(question, line),
    kind: isFact ? 'fact' : 'turn',
    content: { role: author === 'agent' ? 'model' : 'user', parts: [{ text: rest.join(': ') }] },
    author: isFact ? 'user' : author,
    sessionId: isFact ? undefined : `session-${question}`,
    timestamp: BEGIN + 3 * question * DAY + 30 * line,
  };
}

function read<T>(name: string): readonly T[] {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as T[];
}
