import { stemmer as stemGerman } from '@orama/stemmers/german';
import { stemmer as stemTurkish } from '@orama/stemmers/turkish';
import { stemmer as stemEnglish } from 'stemmer';
import type { Analyzer } from './analyzer.ts';
import { withoutArticle } from './arabic-article.ts';
import { arabicSkeleton } from './arabic-skeleton.ts';
import { withoutFleetingVowel } from './fleeting-vowel.ts';
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
/** A German one: what was done, between its marks. */
const PARTICIPLE = /^ge(.{3,}?)(?:e?t|en)$/;
/** Languages that add to the end of a word mostly leave this much of it alone. */
const PREFIX_LETTERS = 4;
/** The longest word that is stemmed; no word of a language is longer. */
const MAX_STEMMED_LETTERS = 32;
const MAX_CACHED_WORDS = 50_000;
const NONE: ReadonlySet<string> = new Set();

/**
 * Words of every script. Stop words of the languages it knows are dropped unless nothing else is there, English, Russian,
 * Arabic and Hindi words are brought to one stem, Latin accents folded; other words stay as they are. Further forms are, of an
 * Arabic word, its firm letters; of a Russian one, its stem without a vowel that comes and goes; and in a text in which no word
 * says that it is English, German and Turkish stems and beginnings of words. Scripts without spaces come as pairs of characters.
 */
export function standardAnalyzer(): Analyzer {
  // Conversations say the same words again and again.
  const known = new Map<string, AnalyzedWord>();

  function look(word: string): AnalyzedWord {
    let found = known.get(word);
    if (found) return found;
    if (known.size >= MAX_CACHED_WORDS) known.clear();
    found = analyzeWord(word);
    known.set(word, found);
    return found;
  }

  return {
    id: 'standard-6',
    words(text, of) {
      const split = splitWords(text, of);
      const all = split.map(look);
      const english = all.some(({ isEnglish }) => isEnglish);
      const dropped = of === 'query' ? queryStopWords(split) : NONE;
      const isContent = (known: AnalyzedWord): boolean => !known.isStopWord && !dropped.has(known.word);
      const content = all.some(isContent) ? all.filter(isContent) : all;
      const words = content.map(({ base }) => base);
      // Words of other scripts show themselves that they are not English.
      for (const word of content) if (!english || !word.isLatin) words.push(...variantsOf(word));
      for (const part of namePartsIn(text)) {
        const { base, isStopWord } = look(part);
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
  readonly isEnglish: boolean;
  readonly isLatin: boolean;
  /** Made when first asked for. */
  forms: readonly string[] | undefined;
}

function analyzeWord(word: string): AnalyzedWord {
  const folded = foldAccents(word);
  const isLatin = LATIN.test(folded);
  // Single characters come marked already.
  if (word.startsWith('~')) return { word, base: word, isStopWord: false, isEnglish: false, isLatin: false, forms: [] };
  return {
    word,
    base: baseOf(folded, isLatin),
    isStopWord: stopWords.has(word) || scriptStopWords.has(word),
    isEnglish: englishOnlyWords.has(word),
    isLatin,
    forms: undefined,
  };
}

function baseOf(folded: string, isLatin: boolean): string {
  if (!isLatin) return stemByScript(folded) ?? folded;
  return folded.length <= MAX_STEMMED_LETTERS ? stemEnglish(irregularForms.get(folded) ?? folded) : folded;
}

function variantsOf(known: AnalyzedWord): readonly string[] {
  return (known.forms ??= known.isStopWord ? [] : createVariants(known));
}

function createVariants({ word, base, isLatin }: AnalyzedWord): string[] {
  if (!isLatin) return variantsInScript(word, base);
  const folded = foldAccents(word);
  if (word.length > MAX_STEMMED_LETTERS || latinStopWords.has(folded)) return [];
  // The stemmers know their languages' letters, so accents are folded afterwards.
  const stems = [stemGerman, stemTurkish].map((stem) => `~${foldAccents(stem(word))}`);
  if (stems[0] === stems[1]) stems.pop();
  const forms = [...stems, ...prefixOf(folded)];
  const verb = PARTICIPLE.exec(folded)?.[1];
  if (verb !== undefined) forms.push(...(verb.length < PREFIX_LETTERS ? [`~${verb}`] : prefixOf(verb)));
  return forms;
}

function prefixOf(word: string): string[] {
  return word.length < PREFIX_LETTERS ? [] : [`~~${word.slice(0, PREFIX_LETTERS)}`];
}

function variantsInScript(word: string, base: string): string[] {
  if (ARABIC.test(word)) return arabicVariants(word);
  const form = CYRILLIC.test(word) ? withoutFleetingVowel(base) : undefined;
  return form === undefined ? [] : [`~${form}`];
}

function arabicVariants(word: string): string[] {
  const bare = `~${withoutArticle(word)}`;
  const skeleton = arabicSkeleton(word);
  return skeleton === undefined ? [bare] : [bare, `~~${skeleton}`];
}
