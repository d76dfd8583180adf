import type { Content, Event } from '@thole/core';
import type { UiChunk } from './ui-chunk.ts';

type Kind = 'text' | 'reasoning';
type StreamedText = Record<Kind, string>;

/** Writes texts and thoughts as blocks. One block is open at a time, so that branches may alternate. */
export class TextBlocks {
  /** The streamed texts of events that are not stored yet. */
  readonly #streamed: Map<string, StreamedText> = new Map();
  #open: { eventId: string; id: string; kind: Kind } | undefined;
  #count: number = 0;

  /** Adds text to the open block of this event, or opens one. */
  add(chunks: UiChunk[], eventId: string, p: { kind: Kind; text: string; isPartial?: boolean }): void {
    const { kind, text, isPartial = false } = p;
    if (text === '') return;
    if (isPartial) {
      const streamed = this.#streamed.get(eventId) ?? { text: '', reasoning: '' };
      streamed[kind] += text;
      this.#streamed.set(eventId, streamed);
    }
    if (this.#open?.eventId !== eventId || this.#open.kind !== kind) {
      this.close(chunks);
      this.#open = { eventId, kind, id: `${eventId}:${this.#count++}` };
      chunks.push({ type: `${kind}-start`, id: this.#open.id });
    }
    chunks.push({ type: `${kind}-delta`, id: this.#open.id, delta: text });
  }

  close(chunks: UiChunk[]): void {
    if (this.#open) chunks.push({ type: `${this.#open.kind}-end`, id: this.#open.id });
    this.#open = undefined;
  }

  /** Removes and returns the streamed text of an event. Undefined if the event was not streamed. */
  take(eventId: string): StreamedText | undefined {
    const streamed = this.#streamed.get(eventId);
    this.#streamed.delete(eventId);
    return streamed;
  }

  /** Resets the open block without an end chunk, because the reader has removed the block. */
  forgetOpen(): void {
    this.#open = undefined;
  }
}

/** True if the text of the stored event starts with the streamed text. */
export function startsWithStreamed({ content }: Event, streamed: StreamedText): boolean {
  const complete = textsOf(content);
  return complete.text.startsWith(streamed.text) && complete.reasoning.startsWith(streamed.reasoning);
}

function textsOf(content: Content | undefined): StreamedText {
  const texts: StreamedText = { text: '', reasoning: '' };
  for (const { text, thought } of content?.parts ?? []) texts[thought ? 'reasoning' : 'text'] += text ?? '';
  return texts;
}
