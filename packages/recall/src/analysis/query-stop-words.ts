import { stopwords as dutch } from '@orama/stopwords/dutch';
import { stopwords as french } from '@orama/stopwords/french';
import { stopwords as german } from '@orama/stopwords/german';
import { stopwords as italian } from '@orama/stopwords/italian';
import { stopwords as portuguese } from '@orama/stopwords/portuguese';
import { stopwords as spanish } from '@orama/stopwords/spanish';
import { stopwords as turkish } from '@orama/stopwords/turkish';
import { foldAccents } from './fold-accents.ts';
import { stopWords } from './stop-words.ts';

const NONE: ReadonlySet<string> = new Set();

/** Question words and short verbs that are missing in the lists, in the order of the languages below. */
const MISSING: readonly string[] = [
  'wer wen wem wo wann warum wieso wie wohin woher welche welcher welches',
  'où quand comment pourquoi combien quoi qui est-ce quel',
  'dónde cuándo cómo quién cuál qué por para mi mis tu tus',
  'onde quando como quem quanto qual quais por porque',
  'dove quando come chi quale quali quanto perché che',
  'waar wanneer waarom hoeveel welke welk hoe wie wat',
  'nerede nereye nereden neden niçin kim kaç hangi',
];

const LANGUAGES: readonly ReadonlySet<string>[] = [german, french, spanish, portuguese, italian, dutch, turkish].map(
  (words, i) => new Set([...words, ...MISSING[i]!.split(' ')].flatMap((word) => [word, foldAccents(word)])),
);

/**
 * Returns the stop words of the query's language: the listed language with the most stop words in the query. Returns an empty
 * set if the query has at least as many English stop words.
 */
export function queryStopWords(words: readonly string[]): ReadonlySet<string> {
  let best: ReadonlySet<string> = NONE;
  let highest = words.filter((word) => stopWords.has(word)).length;
  for (const language of LANGUAGES) {
    const count = words.filter((word) => language.has(word)).length;
    if (count > highest) [best, highest] = [language, count];
  }
  return best;
}
