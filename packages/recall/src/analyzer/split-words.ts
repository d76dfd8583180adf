const WORD = /[\p{L}\p{M}\p{N}]+/gu;

// Scripts written without spaces between words; Hangul too, whose particles stand on the word they follow.
const UNSPACED = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Hang}]`;
const RUNS = new RegExp(`(${UNSPACED}+)|(?:(?!${UNSPACED})[\\s\\S])+`, 'gu');
const HAS_UNSPACED = new RegExp(UNSPACED, 'u');
// One character is a word of its own often enough to be asked for alone.
const IDEOGRAPH = /[\p{scx=Han}\p{Script=Hangul}]/u;

/** Longer ones are cut: nobody asks for them, and a blob should not become a key of its own size. */
const MAX_WORD = 64;

/**
 * Words in lower case after NFKC. Runs of scripts without spaces come as pairs of characters: a single character as
 * itself, and in an entry every Chinese, Japanese or Korean one also alone.
 */
export function splitWords(text: string, of: 'entry' | 'query'): string[] {
  const words: string[] = [];
  for (const word of text.normalize('NFKC').toLowerCase().match(WORD) ?? []) {
    if (isAscii(word) || !HAS_UNSPACED.test(word)) words.push(word.slice(0, MAX_WORD));
    else for (const run of word.matchAll(RUNS)) addRun(words, run[0], run[1] !== undefined, of);
  }
  return words;
}

function addRun(words: string[], run: string, unspaced: boolean, of: 'entry' | 'query'): void {
  if (!unspaced) {
    words.push(run.slice(0, MAX_WORD));
    return;
  }
  const characters = Array.from(run);
  if (characters.length === 1) words.push(run);
  for (let i = 0; i + 1 < characters.length; i++) words.push(characters[i]! + characters[i + 1]!);
  if (of === 'query' || characters.length === 1) return;
  for (const character of characters) if (IDEOGRAPH.test(character)) words.push(character);
}

function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}
