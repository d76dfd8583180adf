import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemTurkish } from '@orama/stemmers/turkish';
import { stemmer as stemEnglish } from 'stemmer';
import type { Analyzer } from './analyzer.ts';
import { removeArticle } from './arabic-article.ts';
import { arabicSkeletonOf } from './arabic-skeleton.ts';
import { removeFleetingVowel } from './fleeting-vowel.ts';
import { foldAccents } from './fold-accents.ts';
import { irregularForms } from './irregular-forms.ts';
import { NAME_PART, namePartsIn } from './name-parts.ts';
import { queryStopWords } from './query-stop-words.ts';
import { englishOnlyWords } from './english-only-words.ts';
import { splitWords } from './split-words.ts';
import { stemByScript } from './stem-by-script.ts';
import { latinStopWords, scriptStopWords, stopWords } from './stop-words.ts';

const LATIN = /^[a-z]+$/;
const ARABIC = /^\p{Script=Arabic}/u;
const CYRILLIC = /^\p{Script=Cyrillic}/u;
/** A German past participle; the group is the stem between prefix and ending. */
const PARTICIPLE = /^ge(.{3,}?)(?:e?t|en)$/;
/** Number of letters at the start of a word that endings rarely change. */
const PREFIX_LETTERS = 4;
/** Longest word that is stemmed. */
const MAX_STEMMED_LETTERS = 32;
const MAX_CACHED_WORDS = 50_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns an analyzer for texts in every script. It removes stop words (unless the text has only stop words), folds Latin
 * and Greek accents and stems English, Russian, Arabic and Hindi words. Scripts without spaces become pairs of characters. Variants are:
 * - for an Arabic word its strong letters;
 * - for a Russian word its stem without a fleeting vowel;
 * - in a text without a typical English word, German and Turkish stems and the first letters of words;
 * - the parts of camelCase and PascalCase names.
 */
export function standardAnalyzer(): Analyzer {
  // A cache, because conversations repeat words.
  const cache = new Map<string, AnalyzedWord>();

  function lookUp(word: string): AnalyzedWord {
    const cached = cache.get(word);
    if (cached) return cached;
    if (cache.size >= MAX_CACHED_WORDS) cache.clear();
    const analyzed = analyzeWord(word);
    cache.set(word, analyzed);
    return analyzed;
  }

  return {
    id: 'standard-7',
    words(text, of) {
      const rawWords = splitWords(text, of);
      const all = rawWords.map(lookUp);
      const isEnglish = all.some((word) => word.isEnglish);
      const languageStopWords = of === 'query' ? queryStopWords(rawWords) : NONE;
      const isContent = ({ word, isStopWord }: AnalyzedWord): boolean => !isStopWord && !languageStopWords.has(word);
      const contentWords = all.some(isContent) ? all.filter(isContent) : all;
      const words = contentWords.map(({ base }) => base);
      // Words in other scripts are not English, even in an English text.
      for (const word of contentWords) if (!isEnglish || !word.isLatin) words.push(...variantsOf(word));
      for (const part of namePartsIn(text)) {
        const { base, isStopWord } = lookUp(part);
        if (!isStopWord) words.push(NAME_PART + base);
      }
      return words;
    },
  };
}

interface AnalyzedWord {
  readonly word: string;
  readonly base: string;
  readonly isStopWord: boolean;
  /** True for a word of `englishOnlyWords`. */
  readonly isEnglish: boolean;
  readonly isLatin: boolean;
  /** Variants; created at the first use. */
  variants: readonly string[] | undefined;
}

function analyzeWord(word: string): AnalyzedWord {
  const folded = foldAccents(word);
  const isLatin = LATIN.test(folded);
  // `splitWords` marks single characters as variants.
  if (word.startsWith('~'))
    return { word, base: word, isStopWord: false, isEnglish: false, isLatin: false, variants: [] };
  return {
    word,
    base: baseOf(folded, isLatin),
    isStopWord: stopWords.has(word) || scriptStopWords.has(word),
    isEnglish: englishOnlyWords.has(word),
    isLatin,
    variants: undefined,
  };
}

function baseOf(folded: string, isLatin: boolean): string {
  if (!isLatin) return stemByScript(folded) ?? folded;
  return folded.length <= MAX_STEMMED_LETTERS ? stemEnglish(irregularForms.get(folded) ?? folded) : folded;
}

function variantsOf(word: AnalyzedWord): readonly string[] {
  return (word.variants ??= word.isStopWord ? [] : createVariants(word));
}

function createVariants({ word, base, isLatin }: AnalyzedWord): string[] {
  if (!isLatin) return variantsInScript(word, base);
  const folded = foldAccents(word);
  if (word.length > MAX_STEMMED_LETTERS || latinStopWords.has(folded)) return [];
  // The stemmers expect the letters of their languages, so accents are folded afterwards.
  const stems = [stemGerman, stemTurkish].map((stem) => `~${foldAccents(stem(word))}`);
  if (stems[0] === stems[1]) stems.pop();
  const variants = [...stems, ...prefixOf(folded)];
  const verb = PARTICIPLE.exec(folded)?.[1];
  if (verb !== undefined) variants.push(...(verb.length < PREFIX_LETTERS ? [`~${verb}`] : prefixOf(verb)));
  return variants;
}

function prefixOf(word: string): string[] {
  return word.length < PREFIX_LETTERS ? [] : [`~~${word.slice(0, PREFIX_LETTERS)}`];
}

function variantsInScript(word: string, base: string): string[] {
  if (ARABIC.test(word)) return arabicVariants(word);
  const variant = CYRILLIC.test(word) ? removeFleetingVowel(base) : undefined;
  return variant === undefined ? [] : [`~${variant}`];
}

function arabicVariants(word: string): string[] {
  const bare = `~${removeArticle(word)}`;
  const skeleton = arabicSkeletonOf(word);
  return skeleton === undefined ? [bare] : [bare, `~~${skeleton}`];
}
