/** A piece of an answer: text or thinking. */
export interface Piece {
  readonly text: string;
  readonly thought: boolean;
}

const [OPEN, CLOSE] = ['<think>', '</think>'];

/**
 * Separates `<think>…</think>` at the beginning of a text from the rest, for any chunking. Elsewhere the tag is
 * text. White space after either tag is removed. Without a closing tag, all of it is thinking.
 */
export class ThinkText {
  #at: 'start' | 'thinking' | 'behind' | 'text' = 'start';
  /** Text that may still become a tag, or white space before one. */
  #held = '';
  /** True if only white space followed the opening tag. */
  #isBare = true;

  /** Returns the pieces of the text so far that were not returned before. */
  read(text: string): Piece[] {
    if (this.#at === 'text') return text === '' ? [] : [{ text, thought: false }];
    this.#held += text;
    if (this.#at === 'start') return this.#readStart();
    return this.#at === 'thinking' ? this.#readThinking() : this.#readBehind();
  }

  /** Returns the text that was held back, after the last piece. */
  end(): Piece[] {
    const [text, thought] = [this.#held, this.#at === 'thinking'];
    this.#held = '';
    return text === '' || this.#at === 'behind' ? [] : [{ text, thought }];
  }

  #readStart(): Piece[] {
    const begun = this.#held.trimStart();
    if (begun.startsWith(OPEN)) {
      this.#at = 'thinking';
      this.#held = begun.slice(OPEN.length);
      return this.#readThinking();
    }
    if (OPEN.startsWith(begun)) return [];
    return this.#release();
  }

  #readThinking(): Piece[] {
    if (this.#isBare) this.#held = this.#held.trimStart();
    if (this.#held !== '') this.#isBare = false;
    const close = this.#held.indexOf(CLOSE);
    if (close < 0) {
      const kept = overlap(this.#held, CLOSE);
      const text = this.#held.slice(0, this.#held.length - kept);
      this.#held = this.#held.slice(this.#held.length - kept);
      return text === '' ? [] : [{ text, thought: true }];
    }
    const thought = this.#held.slice(0, close);
    this.#held = this.#held.slice(close + CLOSE.length);
    this.#at = 'behind';
    const pieces: Piece[] = thought === '' ? [] : [{ text: thought, thought: true }];
    return [...pieces, ...this.#readBehind()];
  }

  #readBehind(): Piece[] {
    this.#held = this.#held.trimStart();
    return this.#held === '' ? [] : this.#release();
  }

  #release(): Piece[] {
    this.#at = 'text';
    const text = this.#held;
    this.#held = '';
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
