import type { Writable } from 'node:stream';
import { plainText } from './plain-text.ts';

/** Writes lines to a stream, without control characters. */
export function linesTo(stream: Writable): (line: string) => void {
  return (line) => void stream.write(`${plainText(line)}\n`);
}
