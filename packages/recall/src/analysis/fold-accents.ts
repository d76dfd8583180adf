const ACCENTED = /([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu;
const LETTERS: { readonly [letter: string]: string } = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Removes the accents of Latin and Greek letters (`é` → `e`, `ß` → `ss`, `έ` → `ε`). Marks of other scripts are letters and stay. */
export function foldAccents(word: string): string {
  const bare = word.normalize('NFD').replace(ACCENTED, '$1').normalize('NFC');
  return bare.replace(LETTER, (letter) => LETTERS[letter]!);
}
