import { standardAnalyzer } from '@thole/recall';
import { describe, expect, it } from 'vitest';

const { words } = standardAnalyzer();
/** Returns the words of a text without variants. */
const wordsOf = (text: string): string[] => words(text, 'query').filter((word) => !word.startsWith('~'));

describe('standardAnalyzer', () => {
  it('returns letters and digits of any script in lower case, and nothing else', () => {
    expect(wordsOf('Room #12B, "Pizza"—olives_now!')).toEqual(['room', '12b', 'pizza', 'oliv']);
    expect(wordsOf('')).toEqual([]);
    expect(wordsOf(' …?! 🎉')).toEqual([]);
  });

  it('normalizes full-width characters and ligatures', () => {
    expect(wordsOf('ＰＩＺＺＡ ﬁsh')).toEqual(wordsOf('pizza fish'));
  });

  it.each([
    ['Crème Brûlée', 'creme brulee'],
    ['Łódź', 'lodz'],
    ['Straße', 'strasse'],
    ['İSTANBUL', 'istanbul'],
    ['ışık', 'isik'],
    ['e\u0301te\u0301', 'été'],
    ['καφές', 'καφες'],
    ['ΚΑΦΕΣ', 'καφές'],
    ['Μαΐου', 'ΜΑΙΟΥ'],
    ['ᾠδή', 'ωδη'],
  ])('folds Latin and Greek accents: %s is %s', (accented, plain) => {
    expect(wordsOf(accented)).toEqual(wordsOf(plain));
  });

  it('keeps the marks of other scripts, which are letters', () => {
    expect(wordsOf('йод')).toEqual(['йод']);
    expect(wordsOf('किताब')).toEqual(['किताब']);
  });

  it.each([
    ['hiking', 'hiked'],
    ['went', 'going'],
    ['children', 'kids'],
    ['bought', 'buys'],
    ['Mom', 'mothers'],
    ['flies', 'fly'],
    ['lives', 'live'],
    ['leaves', 'left'],
    ['tried', 'try'],
  ])('returns the same stem for %s and %s', (one, other) => {
    expect(wordsOf(one)).toEqual(wordsOf(other));
  });

  it.each([
    ['بيوت', 'بيتنا'],
    ['سيارات', 'سيارتي'],
    ['أطباء', 'الطبيب'],
    ['يعمل', 'أعمل'],
    ['يسكنون', 'نسكن'],
    ['رسالة', 'والرسائل'],
    ['كِتَاب', 'كتبي'],
    ['кошек', 'кошка'],
    ['подарки', 'подарок'],
    ['окон', 'окно'],
    ['огурцы', 'огурец'],
    ['यात्राएँ', 'यात्रा'],
    ['gespielt', 'spielen'],
    ['gesagt', 'sage'],
    ['gearbeitet', 'Arbeiten'],
  ])('returns a common variant for %s and %s', (one, other) => {
    const forms = new Set(words(one, 'query'));
    expect(words(other, 'entry').filter((form) => forms.has(form))).not.toEqual([]);
  });

  it.each([
    ['بيت', 'قطة'],
    ['يد', 'أب'],
    ['город', 'нога'],
    ['geben', 'legen'],
    ['gestern', 'geliebt'],
  ])('returns no common variant for %s and %s', (one, other) => {
    const forms = new Set(words(one, 'query'));
    expect(words(other, 'entry').filter((form) => forms.has(form))).toEqual([]);
  });

  it('removes English stop words unless the text has only stop words', () => {
    expect(wordsOf('where is the pool that we had')).toEqual(['pool']);
    expect(wordsOf('to be or not to be')).toEqual(['to', 'be', 'or', 'not', 'to', 'be']);
    expect(wordsOf("don't you've")).not.toEqual([]);
  });

  it.each([
    ['喝绿茶', ['喝绿', '绿茶']],
    ['さくら', ['さく', 'くら']],
    ['コーヒー', ['コー', 'ーヒ', 'ヒー']],
    ['แมว', ['แม', 'มว']],
    ['바다', ['바다']],
    ['猫', ['猫']],
    ['ແມວ', ['ແມ', 'ມວ']],
    ['ឆ្មា', ['ឆ្', '្ម', 'មា']],
    ['ကြောင်', ['ကြ', 'ြေ', 'ော', 'ာင', 'င်']],
  ])('splits scripts without spaces into pairs of characters: %s', (text, pairs) => {
    expect(wordsOf(text)).toEqual(pairs);
  });

  it('separates scripts without spaces from other characters', () => {
    expect(wordsOf('iPhoneを2台')).toEqual(['iphon', 'を', '2', '台']);
  });

  it('adds single Chinese characters of an entry as variants, so that a query can find them', () => {
    expect(words('喝茶', 'entry')).toEqual(['喝茶', '~喝', '~茶']);
    expect(words('茶', 'query')).toEqual(['茶', '~茶']);
    expect(words('さくら', 'entry')).toEqual(wordsOf('さくら'));
  });

  it('cuts words at 64 characters', () => {
    const [word] = wordsOf('y'.repeat(100_000));
    expect(word).toHaveLength(64);
    expect(wordsOf(`${'y'.repeat(31)}ing`)).toEqual([`${'y'.repeat(31)}ing`]);
  });

  it('treats lone surrogates as separators', () => {
    expect(wordsOf('pool\ud800bar')).toEqual(['pool', 'bar']);
  });
});
