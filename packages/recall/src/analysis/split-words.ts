const PLAIN = /^[ -~\s]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

// Scripts written without spaces between words; Hangul too, whose particles stand on the word they follow.
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]`;
const RUNS = new RegExp(`(${UNSPACED}+)|(?:(?!${UNSPACED})[\\s\\S])+`, 'gu');
const HAS_UNSPACED = new RegExp(UNSPACED, 'u');
// One character is a word of its own often enough to be asked for alone; of a longer Korean word it says little.
const HAN = /\p{scx=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;

/** Longer ones are cut: nobody asks for them, and a blob should not become a key of its own size. */
const MAX_WORD_CHARACTERS = 64;

/**
 * Words in lower case after NFKC. Runs of scripts without spaces come as pairs of characters, a single one as itself; each
 * Chinese character is also a further form by itself (as an `Analyzer` marks it), and in an entry each Korean syllable.
 */
export function splitWords(text: string, of: 'entry' | 'query'): string[] {
  const plain = asciiWords(text);
  if (plain) return plain.map(cut);
  const words: string[] = [];
  for (const word of text.normalize('NFKC').toLowerCase().match(WORD) ?? []) {
    if (isAscii(word) || !HAS_UNSPACED.test(word)) words.push(cut(word));
    else for (const run of word.matchAll(RUNS)) addRun(words, run[0], run[1] !== undefined, of);
  }
  return words;
}

/** The words of a text that is plain ASCII, as most are, in lower case: five times as quick to take apart. Undefined for others. */
export function asciiWords(text: string): readonly string[] | undefined {
  return PLAIN.test(text) ? (text.toLowerCase().match(PLAIN_WORD) ?? []) : undefined;
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
