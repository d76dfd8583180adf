/** A piece of an answer: text or thinking. */
export interface Piece {
  readonly text: string;
  readonly thought: boolean;
}

const [OPEN, CLOSE] = ['<think>', '</think>'];

/**
 * Separates `<think>…</think>` at the beginning of a text from the rest. The text may be split into any chunks. Elsewhere
 * the tag is text. White space after either tag is removed. Without a closing tag, the complete text is thinking.
 */
export class ThinkTagParser {
  #state: 'start' | 'thinking' | 'after' | 'text' = 'start';
  /** Text that may still become a tag, or white space before one. */
  #pending = '';
  /** True if only white space has followed the opening tag. */
  #isEmpty = true;

  /** Adds text and returns the new pieces. */
  read(text: string): Piece[] {
    if (this.#state === 'text') return text === '' ? [] : [{ text, thought: false }];
    this.#pending += text;
    if (this.#state === 'start') return this.#readStart();
    return this.#state === 'thinking' ? this.#readThinking() : this.#readAfter();
  }

  /** Returns the remaining text. Must be called after the last chunk. */
  end(): Piece[] {
    const [text, thought] = [this.#pending, this.#state === 'thinking'];
    this.#pending = '';
    return text === '' || this.#state === 'after' ? [] : [{ text, thought }];
  }

  #readStart(): Piece[] {
    const trimmed = this.#pending.trimStart();
    if (trimmed.startsWith(OPEN)) {
      this.#state = 'thinking';
      this.#pending = trimmed.slice(OPEN.length);
      return this.#readThinking();
    }
    if (OPEN.startsWith(trimmed)) return [];
    return this.#release();
  }

  #readThinking(): Piece[] {
    if (this.#isEmpty) this.#pending = this.#pending.trimStart();
    if (this.#pending !== '') this.#isEmpty = false;
    const close = this.#pending.indexOf(CLOSE);
    if (close < 0) {
      const overlapLength = overlap(this.#pending, CLOSE);
      const text = this.#pending.slice(0, this.#pending.length - overlapLength);
      this.#pending = this.#pending.slice(this.#pending.length - overlapLength);
      return text === '' ? [] : [{ text, thought: true }];
    }
    const thought = this.#pending.slice(0, close);
    this.#pending = this.#pending.slice(close + CLOSE.length);
    this.#state = 'after';
    const pieces: Piece[] = thought === '' ? [] : [{ text: thought, thought: true }];
    return [...pieces, ...this.#readAfter()];
  }

  #readAfter(): Piece[] {
    this.#pending = this.#pending.trimStart();
    return this.#pending === '' ? [] : this.#release();
  }

  #release(): Piece[] {
    this.#state = 'text';
    const text = this.#pending;
    this.#pending = '';
    return [{ text, thought: false }];
  }
}

/** Returns the number of characters at the end of the text that may be the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
