import type { Writable } from 'node:stream';
import { plainText } from './plain-text.ts';

/** Returns a function that writes lines to a stream, without control characters. */
export function lineWriter(stream: Writable): (line: string) => void {
  return (line) => void stream.write(`${plainText(line)}\n`);
}
