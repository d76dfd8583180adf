import { describe, expect, it } from 'vitest';
import { commentsOf, docCommentStartsOf, markdownOf, messagesOf, testNamesOf } from './prose.ts';
import type { Prose } from './prose.ts';
import { filesBelow, read } from './workspace.ts';

/** Words and phrases that readers stumble over, and what to write instead. Add a word when a review finds one. */
const denied: readonly (readonly [RegExp, string])[] = [
  [/\b(?:anew|once more)\b/i, 'again'],
  [/\b(?:somebody|nobody|whoever)\b/i, 'the caller, no caller, any client'],
  [/\bso many\b/i, 'N, the count'],
  [/\bso long as\b/i, 'while'],
  [/(?<!\bthere )\b(?:is|are) no\b(?! (?:longer|more|other))/i, 'is not a …, there is no …'],
  [/\bof (?:its|their|his|her) own\b/i, 'its own, a separate'],
  [
    /\b(?:stand|stands|stood) (?:in|for|beside|apart|still|there|here|at|on|as|under|below|behind|alone|between|before)\b/i,
    'is, means',
  ],
  [/\blets? go\b/i, 'releases'],
  [/\btakes? along\b/i, 'also deletes'],
  [/\b(?:is|are) told\b/i, 'receives'],
  [/\bbut for\b/i, 'except'],
  [/\bon end\b/i, 'in a row'],
  [/\bas (?:it|they) came\b/i, 'unchanged'],
  [/\b(?:upon|whereof|thereof|hitherto|whence|whither|lest)\b/i, 'a modern word'],
  [/\bat hand\b/i, 'available'],
  [/\bin the place of\b/i, 'instead of'],
  [/\bgo(?:es)? on with\b|\bgoes on\b/i, 'continues'],
  [/\bhas it (?:done|told|read|held)\b/i, 'has the caller do it'],
];
/** A doc comment starts with a verb or a noun phrase, not with a relative clause. */
const relativeClause = /^(?:What|Whether|How|Who|Whose|Where|When|Those|That|As)\b/;
const longestTestName = 90;

const itself = ['test/architecture/plain-language.test.ts', 'test/architecture/prose.ts'];
const files = ['packages', 'apps', 'docs', 'test', 'bench', 'scripts']
  .flatMap(filesBelow)
  .filter((file) => !itself.includes(file));
const code = files.filter((file) => /\.(ts|tsx|mts|js|mjs|jsx|lua)$/.test(file));
const tests = code.filter((file) => /\.(test|bench)\.tsx?$|\/test\/|^test\//.test(file));
const sources = code.filter((file) => !tests.includes(file));
const styles = files.filter((file) => file.endsWith('.css'));
/** Files whose strings people read: the page, the command line, and the templates of new packages. */
const shown = sources.filter((file) => /^packages\/(?:dev-ui\/page|cli\/src)\/|^scripts\//.test(file));
const documents = [...files, ...filesBelow('').filter((file) => !file.includes('/'))].filter(
  (file) => file.endsWith('.md') && !/CHANGELOG/.test(file),
);

describe('Plain language', () => {
  it('uses no denied word in comments', () => {
    expect([...code, ...styles].flatMap(commentsOf).flatMap(deniedIn)).toEqual([]);
  });

  it('uses no denied word on the page, on the command line and in templates', () => {
    expect(shown.flatMap(linesOf).flatMap(deniedIn)).toEqual([]);
  });

  it('uses no denied word in error messages', () => {
    expect(code.flatMap(messagesOf).flatMap(deniedIn)).toEqual([]);
  });

  it('uses no denied word in Markdown', () => {
    expect(documents.flatMap(markdownOf).flatMap(deniedIn)).toEqual([]);
  });

  it('uses no denied word in test names', () => {
    expect(tests.flatMap(testNamesOf).flatMap(deniedIn)).toEqual([]);
  });

  it(`keeps test names at ${longestTestName} characters or fewer`, () => {
    const long = tests.flatMap(testNamesOf).filter(({ text }) => text.length > longestTestName);
    expect(long.map(place)).toEqual([]);
  });

  it('starts doc comments with a verb or a noun phrase', () => {
    const relative = sources.flatMap(docCommentStartsOf).filter(({ text }) => relativeClause.test(text));
    expect(relative.map(place)).toEqual([]);
  });

  it('finds denied words, long test names and relative clauses', () => {
    const found = deniedIn({ file: 'a.ts', line: 1, text: 'Lets go of the lease, which nobody holds.' });
    expect(found).toEqual([
      'a.ts:1: "nobody", write: the caller, no caller, any client',
      'a.ts:1: "Lets go", write: releases',
    ]);
    expect(relativeClause.test('What a run returns.')).toBe(true);
    expect(testNamesOf('test/architecture/plain-language.test.ts').map(({ text }) => text)).toContain(
      'uses no denied word in comments',
    );
    expect(testNamesOf('test/architecture/names.test.ts').map(({ text }) => text)).toContain(
      'keeps the main entry of packages/%s at %i names or fewer',
    );
    expect(commentsOf('test/architecture/prose.ts').map(({ text }) => text)).toContain(
      'Strings come first, so that `//` in an address is not taken for a comment.',
    );
  });
});

function deniedIn(prose: Prose): string[] {
  return denied.flatMap(([pattern, instead]) => {
    const word = pattern.exec(prose.text)?.[0];
    return word === undefined ? [] : [`${prose.file}:${prose.line}: "${word}", write: ${instead}`];
  });
}

function linesOf(file: string): Prose[] {
  return read(file)
    .split('\n')
    .map((text, index) => ({ file, line: index + 1, text }));
}

function place({ file, line, text }: Prose): string {
  return `${file}:${line}: ${text}`;
}
