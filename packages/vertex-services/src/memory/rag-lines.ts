import { textOf } from '@thole/core';
import { isPlainObject, parseJson, turnId } from '@thole/core/kit';
import type { Event, MemoryEntry } from '@thole/core';

/** Maximum number of characters of a line's text: a line that is cut in one passage is complete in the next. */
const MAX_TEXT = 400;

/** A line of a file: a turn, or a piece of a long turn. `author`, `timestamp` and `text` are ADK's fields. */
interface RagLine {
  author: string;
  timestamp: number;
  text: string;
  /** Id of the event. Undefined in files of ADK. */
  id?: string | undefined;
  /** Id of the session, if the name of the file does not contain it. */
  session?: string | undefined;
  seq?: number | undefined;
  role?: 'user' | 'model' | undefined;
  /** Place of this piece among the pieces of its turn, from 0. Undefined for a turn of one line. */
  piece?: number | undefined;
}

/** A turn of a passage, which may have only some of its pieces. */
export interface RagTurn {
  /** The turn without its text. */
  readonly entry: Omit<MemoryEntry, 'content'>;
  readonly role: 'user' | 'model' | undefined;
  readonly seq: number;
  /** Texts by their place in the turn. */
  readonly pieces: ReadonlyMap<number, string>;
}

/** Returns the JSON lines of a session's turns. `events` are the events of the session, which have the `seq` of each turn. */
export function toRagLines(turns: readonly MemoryEntry[], events: readonly Event[], session?: string): string {
  const seqs = new Map(events.map(({ id, seq }) => [id, seq]));
  return turns
    .flatMap((turn) => {
      const { author = '', timestamp = 0, eventId: id, content } = turn;
      const role = content.role as RagLine['role'];
      const pieces = piecesOf(textOf(content).toWellFormed());
      return pieces.map((text, i): RagLine => ({
        author,
        timestamp,
        text,
        id,
        session,
        seq: seqs.get(id!),
        role,
        piece: pieces.length > 1 ? i : undefined,
      }));
    })
    .map((line) => JSON.stringify(line))
    .join('\n');
}

/** Returns the turns of a passage in its order, by their ids. Incomplete lines are left out. */
export function fromRagLines(text: string, namedSession: string | undefined): Map<string, RagTurn> {
  const turns = new Map<string, RagTurn>();
  for (const each of text.split('\n')) {
    const line = readLine(each);
    if (!line) continue;
    const { author, timestamp, id: eventId, session = namedSession, seq = 0, role, piece = 0 } = line;
    const id = turnId(session ?? '', eventId ?? `${timestamp} ${author}`);
    const entry = {
      id,
      kind: 'turn' as const,
      author,
      timestamp,
      ...(session !== undefined && { sessionId: session }),
      ...(eventId !== undefined && { eventId }),
    };
    turns.set(id, mergeTurns(turns.get(id), { entry, role, seq, pieces: new Map([[piece, line.text]]) }));
  }
  return turns;
}

/** Returns the turn with the pieces of both. */
export function mergeTurns(a: RagTurn | undefined, b: RagTurn): RagTurn {
  return a ? { ...a, pieces: new Map([...a.pieces, ...b.pieces]) } : b;
}

/** Returns the turn as an entry. An ellipsis replaces missing pieces. */
export function toTurnEntry({ entry, role, pieces }: RagTurn): MemoryEntry {
  const sorted = [...pieces].sort(([a], [b]) => a - b);
  const texts = sorted.map(([place, text], i) => (place === (sorted[i - 1]?.[0] ?? -1) + 1 ? text : ` … ${text}`));
  return { ...entry, content: { ...(role !== undefined && { role }), parts: [{ text: texts.join('') }] } };
}

function readLine(text: string): RagLine | undefined {
  const value = parseJson(text);
  if (!isPlainObject(value)) return undefined;
  const { author, text: lineText, timestamp } = value;
  // ADK writes times as texts.
  const time = Number(timestamp);
  if (typeof author !== 'string' || typeof lineText !== 'string' || !Number.isFinite(time)) return undefined;
  return { ...(value as unknown as RagLine), timestamp: time };
}

/** Splits a text without cutting a surrogate pair. */
function piecesOf(text: string): string[] {
  if (text.length <= MAX_TEXT) return [text];
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = start + MAX_TEXT;
    const isPair = /[\ud800-\udbff]/.test(text.charAt(end - 1));
    pieces.push(text.slice(start, isPair ? end - 1 : end));
    start = isPair ? end - 1 : end;
  }
  return pieces;
}
