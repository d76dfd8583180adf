import { textOf } from '@thole/core';
import type { Call, MemoryEntry, Runtime, UserRef } from '@thole/core';
import { clipToTokens, estimateTokens } from '../asking/estimate-tokens.ts';
import { codeOf } from '../keeping/code-of.ts';
import { fullMemory } from '../keeping/full-memory.ts';
import { isCurrent } from '../keeping/is-current.ts';
import { listAll } from '../keeping/list-all.ts';
import type { ProfileOptions, ProfileSource } from './profile-options.ts';

/** A line longer than this is no line of a profile. */
const LINE_TOKENS = 150;

/** What is known of a user, as lines. */
export interface KnownLines {
  /** Facts and notes that are true now: what rests on most evidence first, of equals the newest. */
  facts: readonly string[];
  sources: readonly { name: string; lines: readonly string[] }[];
  /** The texts of all facts and notes, past ones too, by id. */
  texts: ReadonlyMap<string, string>;
}

/** Reads what is known now. A source that fails is logged and left out. */
export async function knownLines(user: UserRef, p: ProfileOptions & { runtime: Runtime } & Call): Promise<KnownLines> {
  const memory = fullMemory(p.memory, 'profile', ['listMemories']);
  const filter = { kinds: ['fact' as const, 'note' as const] };
  const entries = await listAll(memory, { ...user, filter, signal: p.signal });
  const now = p.runtime.now();
  const current = entries.filter((entry) => isCurrent(entry, now)).toSorted(byWeight);
  const sources: { name: string; lines: readonly string[] }[] = [];
  for (const source of p.sources ?? []) sources.push({ name: source.name, lines: await linesOf(source, user, p) });
  const facts = current
    .map(({ content }) => clipToTokens(textOf(content).trim(), LINE_TOKENS))
    .filter((line) => line !== '');
  return { facts, sources, texts: new Map(entries.map(({ id, content }) => [id, textOf(content)])) };
}

/** As many of the first lines as fit. */
export function withinTokens(lines: readonly string[], tokens: number): string[] {
  let left = tokens;
  return lines.filter((line) => (left -= estimateTokens(line) + 2) >= 0);
}

function byWeight(a: MemoryEntry, b: MemoryEntry): number {
  // What the user asked to keep weighs most.
  const weight = ({ kind, evidence = [] }: MemoryEntry): number => (kind === 'note' ? Infinity : evidence.length);
  const [first, second] = [weight(a), weight(b)];
  return first === second ? (b.timestamp ?? 0) - (a.timestamp ?? 0) : second - first;
}

async function linesOf(
  source: ProfileSource,
  user: UserRef,
  p: { runtime: Runtime } & Call,
): Promise<readonly string[]> {
  try {
    const lines = await source.lines({ ...user, signal: p.signal });
    return lines.map((line) => clipToTokens(String(line).trim(), LINE_TOKENS)).filter((line) => line !== '');
  } catch (error) {
    p.runtime.logger.warn('A source of the profile failed.', { source: source.name, code: codeOf(error) });
    return [];
  }
}
