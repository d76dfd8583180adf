/** A piece of an answer: words, or thinking. */
export interface Piece {
  readonly text: string;
  readonly thought: boolean;
}

const [OPEN, CLOSE] = ['<think>', '</think>'];

/**
 * Parts `<think>…</think>` at the beginning of a text from what follows, however the text is cut up; elsewhere the tag is
 * text. Blanks behind either tag are left out; a tag that is never closed makes all of it thinking.
 */
export class ThinkText {
  #at: 'start' | 'thinking' | 'behind' | 'text' = 'start';
  /** What may still turn out to be a tag, or blanks before one. */
  #held = '';
  /** Nothing but blanks came since the opening tag. */
  #isBare = true;

  /** What is known of the text so far and was not answered before. */
  read(text: string): Piece[] {
    if (this.#at === 'text') return text === '' ? [] : [{ text, thought: false }];
    this.#held += text;
    if (this.#at === 'start') return this.#readStart();
    return this.#at === 'thinking' ? this.#readThinking() : this.#readBehind();
  }

  /** What was held back, when no more comes. */
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

/** How many characters at the end of the text may be the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
