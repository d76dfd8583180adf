import { textOf } from '../content/text-of.ts';
import { escapeMemoryText } from './escape-memory-text.ts';
import { clipToTokens, estimateTokens } from './estimate-tokens.ts';
import { isoTime } from './iso-time.ts';
import { isCurrentMemory } from './is-current-memory.ts';
import { labelMemory } from './label-memory.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { ZonedTime } from './zoned-time.ts';

/** The relevance below which memory tools leave a memory out unless told otherwise. Measured: see `docs/benchmarks.md`. */
export const DEFAULT_MIN_RELEVANCE = 0.3;

/** How much is quoted, and how times are told. */
export interface PackMemoryOptions {
  /** At about four bytes of UTF-8 a token. */
  maxTokens: number;
  /** Maximum number of memories. Default: as many as fit. */
  limit?: number | undefined;
  /** Seconds; what has ended by then is marked. */
  now: number;
  /** On whose clocks headings say when; UTC without one. */
  zone?: ZonedTime | undefined;
}

/**
 * Memories as a block of quoted text for a prompt, or undefined when nothing is left to say. Best first they fill the
 * budget (one that does not fit is passed over, the very first is cut); then they stand in the order of time, those that
 * were said close together in one session under one heading. Each says who and when; what they say is escaped, and labelled as
 * data. The budget is for headings and quotes; the frame of some 50 tokens comes on top.
 */
export function packMemory(memories: readonly MemoryEntry[], p: PackMemoryOptions): string | undefined {
  const quotes = chooseQuotes(memories, p);
  if (quotes.length === 0) return undefined;
  const lines = inOrder(quotes).map((quote, i, all) => withHeading(quote, all[i - 1]?.entry, p.zone));
  return labelMemory(lines.join('\n'));
}

interface Quote {
  entry: MemoryEntry;
  line: string;
}

/** Turns of a session that are not further apart than this stand under one heading. */
const NEIGHBOUR_SECONDS = 1800;

function chooseQuotes(
  memories: readonly MemoryEntry[],
  { maxTokens, limit = Infinity, now, zone }: PackMemoryOptions,
): Quote[] {
  const chosen: Quote[] = [];
  const bySession = new Map<string | undefined, number[]>();
  let left = maxTokens;
  for (const entry of memories) {
    if (chosen.length >= limit) break;
    const text = escapeMemoryText(textOf(entry.content)).trim();
    if (!text) continue;
    const others = bySession.get(entry.sessionId) ?? [];
    const isNeighbour = others.some((time) => Math.abs(time - timeOf(entry)) <= NEIGHBOUR_SECONDS);
    const heading = isNeighbour ? 0 : estimateTokens(`${headingOf(entry, zone)}\n`);
    let line = lineOf(entry, text, now);
    if (chosen.length === 0) line = clipToTokens(line, left - heading);
    const cost = heading + estimateTokens(line);
    if (cost > left) continue;
    left -= cost;
    chosen.push({ entry, line });
    bySession.set(entry.sessionId, [...others, timeOf(entry)]);
  }
  return chosen;
}

// Further lines are indented, so that none of them looks like somebody else speaking.
function lineOf(entry: MemoryEntry, text: string, now: number): string {
  const { author } = entry;
  const who = author === undefined ? '' : `${escapeMemoryText(author).replaceAll('\n', ' ')}: `;
  return `- ${who}${text.replaceAll('\n', '\n    ')}${isCurrentMemory(entry, now) ? '' : ' (no longer true)'}`;
}

function inOrder(quotes: readonly Quote[]): Quote[] {
  const began = new Map<string | undefined, number>();
  for (const { entry } of quotes) {
    began.set(entry.sessionId, Math.min(began.get(entry.sessionId) ?? Infinity, timeOf(entry)));
  }
  const bySession = (a: Quote, b: Quote): number =>
    a.entry.sessionId === b.entry.sessionId
      ? timeOf(a.entry) - timeOf(b.entry)
      : began.get(a.entry.sessionId)! - began.get(b.entry.sessionId)! ||
        (String(a.entry.sessionId) < String(b.entry.sessionId) ? -1 : 1);
  return quotes.toSorted(bySession);
}

function withHeading({ entry, line }: Quote, before: MemoryEntry | undefined, zone: ZonedTime | undefined): string {
  if (before && before.sessionId === entry.sessionId && timeOf(entry) - timeOf(before) <= NEIGHBOUR_SECONDS)
    return line;
  return `${headingOf(entry, zone)}\n${line}`;
}

function headingOf({ timestamp }: MemoryEntry, zone: ZonedTime | undefined): string {
  return `${isoTime(timestamp, zone) ?? 'At an unknown time'}:`;
}

const timeOf = (entry: MemoryEntry): number => entry.timestamp ?? 0;
