const ASCII = /^[ -~\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

// Scripts without spaces between words, and Hangul, whose particles are attached to words.
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]`;
const RUNS = new RegExp(`(${UNSPACED}+)|(?:(?!${UNSPACED})[\\s\\S])+`, 'gu');
const HAS_UNSPACED = new RegExp(UNSPACED, 'u');
// A single Chinese character is often a word. A single Korean syllable rarely is, so longer queries do not search for it.
const HAN = /\p{scx=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Longer words are cut, so that a long blob does not become a key of the same size. */
const MAX_WORD_CHARACTERS = 64;

/**
 * Returns the words in lower case after NFKC. Runs of scripts without spaces become pairs of characters, or one character if
 * the run has only one. Each Chinese character, and in an entry each Korean syllable, is also a variant.
 */
export function splitWords(text: string, of: 'entry' | 'query'): string[] {
  const ascii = asciiWords(text);
  if (ascii) return ascii.map(cut);
  const words: string[] = [];
  for (const word of text.normalize('NFKC').toLowerCase().match(WORD) ?? []) {
    if (isAscii(word) || !HAS_UNSPACED.test(word)) words.push(cut(word));
    else for (const run of word.matchAll(RUNS)) addRun(words, run[0], run[1] !== undefined, of);
  }
  return words;
}

/** Returns the words of an ASCII text in lower case, five times faster than for other texts. Undefined for other texts. */
function asciiWords(text: string): readonly string[] | undefined {
  return ASCII.test(text) ? (text.toLowerCase().match(ASCII_WORD) ?? []) : undefined;
}

function cut(word: string): string {
  return word.length > MAX_WORD_CHARACTERS ? word.slice(0, MAX_WORD_CHARACTERS) : word;
}

function addRun(words: string[], run: string, unspaced: boolean, of: 'entry' | 'query'): void {
  if (!unspaced) {
    words.push(cut(run));
    return;
  }
  const characters = Array.from(run);
  if (characters.length === 1) words.push(run);
  for (let i = 0; i + 1 < characters.length; i++) words.push(characters[i]! + characters[i + 1]!);
  for (const character of characters) {
    const isAlone = of === 'entry' || characters.length === 1;
    if (HAN.test(character) || (isAlone && HANGUL.test(character))) words.push(`~${character}`);
  }
}

function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}
