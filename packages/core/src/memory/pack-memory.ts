import { textOf } from '../content/text-of.ts';
import { escapeMemoryText } from './escape-memory-text.ts';
import { clipToTokens, estimateTokens } from './estimate-tokens.ts';
import { isoTime } from './iso-time.ts';
import { isCurrentMemory } from './is-current-memory.ts';
import { labelMemory } from './label-memory.ts';
import type { MemoryEntry } from './memory-entry.ts';
import type { ZonedTime } from './zoned-time.ts';

/** Default `minRelevance` of the memory tools. `docs/benchmarks.md` has the measurement. */
export const DEFAULT_MIN_RELEVANCE = 0.3;

/** Options of `packMemory`. */
export interface PackMemoryOptions {
  /** Budget in tokens; one token is about four bytes of UTF-8. */
  maxTokens: number;
  /** Maximum number of memories. Default: as many as fit. */
  limit?: number | undefined;
  /** Current time in seconds since the epoch. Facts that ended before it are marked. */
  now: number;
  /** Time zone of the times in headings. Default: UTC. */
  zone?: ZonedTime | undefined;
}

/**
 * Returns memories as a block of quoted text for a prompt, or undefined without text. Memories are added best
 * first until the budget is full. The first memory is cut if it does not fit, any other is left out. The quotes are sorted
 * by time and have their author. Turns of one session that are close in time share a heading with the time. Texts are
 * escaped and labelled as data. The budget covers headings and quotes; the frame adds about 50 tokens.
 */
export function packMemory(memories: readonly MemoryEntry[], p: PackMemoryOptions): string | undefined {
  const quotes = chooseQuotes(memories, p);
  if (quotes.length === 0) return undefined;
  const lines = sortByTime(quotes).map((quote, i, all) => withHeading(quote, all[i - 1]?.entry, p.zone));
  return labelMemory(lines.join('\n'));
}

interface Quote {
  entry: MemoryEntry;
  line: string;
}

/** Turns of a session share a heading if they are at most this many seconds apart. */
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

// Further lines are indented, so that none of them looks like a new speaker.
function lineOf(entry: MemoryEntry, text: string, now: number): string {
  const { author } = entry;
  const speaker = author === undefined ? '' : `${escapeMemoryText(author).replaceAll('\n', ' ')}: `;
  return `- ${speaker}${text.replaceAll('\n', '\n    ')}${isCurrentMemory(entry, now) ? '' : ' (no longer true)'}`;
}

function sortByTime(quotes: readonly Quote[]): Quote[] {
  const startOf = new Map<string | undefined, number>();
  for (const { entry } of quotes) {
    startOf.set(entry.sessionId, Math.min(startOf.get(entry.sessionId) ?? Infinity, timeOf(entry)));
  }
  const bySession = (a: Quote, b: Quote): number =>
    a.entry.sessionId === b.entry.sessionId
      ? timeOf(a.entry) - timeOf(b.entry)
      : startOf.get(a.entry.sessionId)! - startOf.get(b.entry.sessionId)! ||
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
