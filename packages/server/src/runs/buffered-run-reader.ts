import type { Event } from '@thole/core';
import { PartialEventSerializer } from '../http/partial-event-serializer.ts';
import { BufferReader } from './buffer-reader.ts';
import { frameOfEnd } from './end-frames.ts';
import { eventFrames } from './event-frames.ts';
import type { BufferEntry, RunBuffer } from './run-buffer.ts';
import type { FrameSource } from './sse-response.ts';

/** Maximum characters of a text before the last frame in it. */
const MAX_TEXT_CHARS = 16 * 1024;

/** Sends the frames of a run that continues without its clients to one client. Available frames are sent together. */
export class BufferedRunReader implements FrameSource {
  readonly #reader: BufferReader<string>;
  readonly #toErrorFrame: (error: unknown) => string;
  #ended: boolean = false;

  /** Without `after` the reader starts with the first frame, otherwise after the event with this `seq`. */
  constructor(
    buffer: RunBuffer<string>,
    p: {
      after?: number | undefined;
      readStored: (after: number) => Promise<readonly Event[]>;
      toErrorFrame: (error: unknown) => string;
    },
  ) {
    const { after, readStored } = p;
    const toValue = (event: Event): string => eventFrames(event, { split: true });
    this.#reader = new BufferReader(buffer, { after, readStored, toValue });
    this.#toErrorFrame = p.toErrorFrame;
  }

  async next(): Promise<string | undefined> {
    let text = '';
    try {
      while (!this.#ended && text.length < MAX_TEXT_CHARS) {
        const result = this.#reader.take() ?? (text === '' ? await this.#reader.next() : undefined);
        if (!result) break;
        this.#ended = result.done ?? false;
        text += result.done ? frameOfEnd(result.value) : result.value;
      }
    } catch (error) {
      this.#ended = true;
      text += this.#toErrorFrame(error);
    }
    return text === '' ? undefined : text;
  }

  close(): void {
    this.#reader.close();
  }
}

/** Returns a function that converts events to entries of a buffer of frames. Leaves out events of the user. */
export function createFrameEntries(p: { split: boolean }): (event: Event) => BufferEntry<string> | undefined {
  const partials = new PartialEventSerializer();
  return (event) => {
    if (event.author === 'user') return undefined;
    const value = eventFrames(event, { ...p, partials });
    const entry = { value, chars: value.length };
    return event.partial ? { ...entry, partial: true } : { ...entry, seq: event.seq };
  };
}
