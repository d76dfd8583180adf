import { textOf } from '@thole/core';
import { clipToTokens, errorCodeOf, estimateTokens, isCurrentMemory } from '@thole/core/kit';
import type { CallOptions, MemoryEntry, Runtime, UserRef } from '@thole/core';
import { requireMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import type { ProfileOptions, ProfileSource } from './profile-options.ts';

/** Longer lines are cut. */
const MAX_LINE_TOKENS = 150;

/** The facts, notes and source lines from which a profile is created. */
export interface KnownLines {
  /** Current notes, then facts. Facts with more evidence come first; facts with equal evidence are alternately new and old. */
  facts: readonly string[];
  sources: readonly { name: string; lines: readonly string[] }[];
  /** The texts of all facts and notes by id, including past ones. */
  texts: ReadonlyMap<string, string>;
}

/** Reads the facts, notes and source lines of a user. A source that fails is logged and left out. */
export async function readKnownLines(
  user: UserRef,
  p: ProfileOptions & { runtime: Runtime } & CallOptions,
): Promise<KnownLines> {
  const entries = await listKnownEntries(user, p);
  const now = p.runtime.now();
  const current = entries.filter((entry) => isCurrentMemory(entry, now));
  const sources: { name: string; lines: readonly string[] }[] = [];
  for (const source of p.sources ?? []) sources.push({ name: source.name, lines: await linesOf(source, user, p) });
  const facts = sortByWeight(current)
    .map(({ content }) => clipToTokens(textOf(content).trim(), MAX_LINE_TOKENS))
    .filter((line) => line !== '');
  return { facts, sources, texts: textsOf(entries) };
}

/** Returns the current texts of all facts and notes by id, including past ones. */
export async function readKnownTexts(
  user: UserRef,
  p: Pick<ProfileOptions, 'memory'> & CallOptions,
): Promise<ReadonlyMap<string, string>> {
  return textsOf(await listKnownEntries(user, p));
}

function listKnownEntries(user: UserRef, p: Pick<ProfileOptions, 'memory'> & CallOptions): Promise<MemoryEntry[]> {
  const memory = requireMemory(p.memory, 'profile', ['listMemories']);
  return listAllMemories(memory, { ...user, filter: { kinds: ['fact', 'note'] }, signal: p.signal });
}

function textsOf(entries: readonly MemoryEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ id, content }) => [id, textOf(content)]));
}

/** Returns the lines that fit into a number of tokens, in order. */
export function limitToTokens(lines: readonly string[], tokens: number): string[] {
  let remaining = tokens;
  return lines.filter((line) => (remaining -= estimateTokens(line) + 2) >= 0);
}

/** Sorts entries by weight, not by age. If not all entries fit, recent facts must not replace an old name. */
function sortByWeight(entries: readonly MemoryEntry[]): MemoryEntry[] {
  // Notes have the highest weight, because the user requested to remember them.
  const weightOf = ({ kind, evidence = [] }: MemoryEntry): number => (kind === 'note' ? Infinity : evidence.length);
  const byTime = entries.toSorted((a, b) => (b.timestamp ?? 0) - (a.timestamp ?? 0));
  const groups = [...Map.groupBy(byTime, weightOf)].toSorted(([a], [b]) => (a === b ? 0 : b - a));
  return groups.flatMap(([, group]) => alternateEnds(group));
}

/** Returns the items alternately from the start and from the end. */
function alternateEnds<T>(items: readonly T[]): T[] {
  return items.map((_, i) => items[i % 2 === 0 ? i / 2 : items.length - (i + 1) / 2]!);
}

async function linesOf(
  source: ProfileSource,
  user: UserRef,
  p: { runtime: Runtime } & CallOptions,
): Promise<readonly string[]> {
  try {
    const lines = await source.lines({ ...user, signal: p.signal });
    return lines.map((line) => clipToTokens(String(line).trim(), MAX_LINE_TOKENS)).filter((line) => line !== '');
  } catch (error) {
    p.runtime.logger.warn('A source of the profile failed.', { source: source.name, code: errorCodeOf(error) });
    return [];
  }
}
