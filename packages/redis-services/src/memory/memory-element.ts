import { TholeError } from '@thole/core';
import { decodeText, encodeText } from '@thole/core/kit';
import type { MemoryEntry, StoredMemory, TextCodec } from '@thole/core';

/**
 * An entry as it stands in its hash: time, kind, session (as JSON), then its text, a line each; '' for what it has not. The
 * first three are what scripts look at; the text they never see into, for a codec may have made something else of it.
 */
export async function toElement(entry: MemoryEntry, codec: TextCodec | undefined): Promise<string> {
  const text = encodeText(codec, JSON.stringify({ v: 1, entry }));
  const session = entry.sessionId === undefined ? '' : JSON.stringify(entry.sessionId);
  return `${entry.timestamp ?? ''}\n${entry.kind}\n${session}\n${typeof text === 'string' ? text : await text}`;
}

/** The entry of an element. `STORE_VERSION` for one that this package cannot read. */
export async function fromElement(seq: unknown, element: string, codec: TextCodec | undefined): Promise<StoredMemory> {
  let from = 0;
  for (let line = 0; line < 3; line++) from = element.indexOf('\n', from) + 1;
  const text = decodeText(codec, element.slice(from));
  const { v, entry } = parse(typeof text === 'string' ? text : await text);
  if (v !== 1)
    throw new TholeError(
      'STORE_VERSION',
      `A memory entry in Redis is of version ${String(v)}; this package reads version 1.`,
    );
  return { seq: Number(seq), entry };
}

function parse(text: string): { v: unknown; entry: MemoryEntry } {
  try {
    return JSON.parse(text) as { v: unknown; entry: MemoryEntry };
  } catch (cause) {
    throw new TholeError(
      'STORE_VERSION',
      'A memory entry in Redis cannot be read: another codec or version wrote it.',
      { cause },
    );
  }
}
