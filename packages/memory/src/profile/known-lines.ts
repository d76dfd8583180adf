import { textOf } from '@thole/core';
import { clipToTokens, estimateTokens, isCurrentMemory } from '@thole/core/kit';
import type { CallOptions, MemoryEntry, Runtime, UserRef } from '@thole/core';
import { errorCodeOf } from '../error-code.ts';
import { fullMemory } from '../full-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import type { ProfileOptions, ProfileSource } from './profile-options.ts';

/** A line longer than this is no line of a profile. */
const LINE_TOKENS = 150;

/** What is known of a user, as lines. */
export interface KnownLines {
  /** Facts and notes that are true now: what rests on most evidence first, of equals the newest and the oldest in turn. */
  facts: readonly string[];
  sources: readonly { name: string; lines: readonly string[] }[];
  /** The texts of all facts and notes, past ones too, by id. */
  texts: ReadonlyMap<string, string>;
}

/** Reads what is known now. A source that fails is logged and left out. */
export async function knownLines(
  user: UserRef,
  p: ProfileOptions & { runtime: Runtime } & CallOptions,
): Promise<KnownLines> {
  const entries = await knownEntries(user, p);
  const now = p.runtime.now();
  const current = entries.filter((entry) => isCurrentMemory(entry, now));
  const sources: { name: string; lines: readonly string[] }[] = [];
  for (const source of p.sources ?? []) sources.push({ name: source.name, lines: await linesOf(source, user, p) });
  const facts = byWeight(current)
    .map(({ content }) => clipToTokens(textOf(content).trim(), LINE_TOKENS))
    .filter((line) => line !== '');
  return { facts, sources, texts: textsOf(entries) };
}

/** The texts of all facts and notes now, past ones too, by id. */
export async function knownTexts(
  user: UserRef,
  p: Pick<ProfileOptions, 'memory'> & CallOptions,
): Promise<ReadonlyMap<string, string>> {
  return textsOf(await knownEntries(user, p));
}

function knownEntries(user: UserRef, p: Pick<ProfileOptions, 'memory'> & CallOptions): Promise<MemoryEntry[]> {
  const memory = fullMemory(p.memory, 'profile', ['listMemories']);
  return listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] }, signal: p.signal });
}

function textsOf(entries: readonly MemoryEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ id, content }) => [id, textOf(content)]));
}

/** As many of the first lines as fit. */
export function withinTokens(lines: readonly string[], tokens: number): string[] {
  let left = tokens;
  return lines.filter((line) => (left -= estimateTokens(line) + 2) >= 0);
}

// Where not all of it fits, age decides nothing: a name that was told once, long ago, stands beside the news.
function byWeight(entries: readonly MemoryEntry[]): MemoryEntry[] {
  // What the user asked to keep weighs most.
  const weightOf = ({ kind, evidence = [] }: MemoryEntry): number => (kind === 'note' ? Infinity : evidence.length);
  const byTime = entries.toSorted((a, b) => (b.timestamp ?? 0) - (a.timestamp ?? 0));
  const equals = [...Map.groupBy(byTime, weightOf)].toSorted(([a], [b]) => (a === b ? 0 : b - a));
  return equals.flatMap(([, all]) => fromBothEnds(all));
}

function fromBothEnds<T>(all: readonly T[]): T[] {
  return all.map((_, i) => all[i % 2 === 0 ? i / 2 : all.length - (i + 1) / 2]!);
}

async function linesOf(
  source: ProfileSource,
  user: UserRef,
  p: { runtime: Runtime } & CallOptions,
): Promise<readonly string[]> {
  try {
    const lines = await source.lines({ ...user, signal: p.signal });
    return lines.map((line) => clipToTokens(String(line).trim(), LINE_TOKENS)).filter((line) => line !== '');
  } catch (error) {
    p.runtime.logger.warn('A source of the profile failed.', { source: source.name, code: errorCodeOf(error) });
    return [];
  }
}
