import type { LogFields } from '@thole/core';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a logged line in characters. */
const MAX_LENGTH = 1_000;
/** Maximum number of lines of one chunk that are logged. */
const MAX_LINES = 100;

/** Calls `log` for each line of a process's error output. Logs how many characters and lines it leaves out. */
export function logErrorOutput(stream: Readable, log: (fields: LogFields) => void): void {
  const decoder = new StringDecoder('utf8');
  /** Start of the last line, and the number of its characters that are left out. */
  let [line, omittedCharacters] = ['', 0];
  let [logged, omittedLines] = [0, 0];
  const append = (text: string): void => {
    const kept = text.slice(0, MAX_LENGTH - line.length);
    line += kept;
    omittedCharacters += text.length - kept.length;
  };
  const endLine = (): void => {
    const entry = { line: line.trimEnd(), ...(omittedCharacters > 0 && { omittedCharacters }) };
    [line, omittedCharacters] = ['', 0];
    if (entry.line === '') return;
    if (logged++ < MAX_LINES) log(entry);
    else omittedLines++;
  };
  const endChunk = (): void => {
    if (omittedLines > 0) log({ omittedLines });
    [logged, omittedLines] = [0, 0];
  };
  stream.on('data', (chunk: Uint8Array) => {
    const [rest, ...lines] = decoder.write(chunk).split('\n').reverse() as [string, ...string[]];
    for (const text of lines.reverse()) {
      append(text);
      endLine();
    }
    append(rest);
    endChunk();
  });
  stream.on('end', () => {
    append(decoder.end());
    endLine();
    endChunk();
  });
}
