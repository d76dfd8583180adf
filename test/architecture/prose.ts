import { read } from './workspace.ts';

/** A piece of English in a file: a comment, an error message, a test name or a sentence of Markdown. */
export interface Prose {
  file: string;
  /** 1-based. */
  line: number;
  text: string;
}

// Strings come first, so that `//` in an address is not taken for a comment.
const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|(?<![:\\/])\/\/[^\n]*/g;
const message = /(?:TholeError\(\s*['"][A-Z_]+['"],\s*|invalidInput\()([`'"])((?:(?!\1)[\s\S])+?)\1/g;
const table = /\b(?:it|test|describe)\.(?:each|for)\(/g;
const testName = /\b(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])((?:(?!\1).)+)\1/g;

/** Returns the comments of a TypeScript, JavaScript or Lua file, one entry per line of text. */
export function commentsOf(file: string): Prose[] {
  const text = read(file);
  if (file.endsWith('.lua')) return linesOf(file, text, 0).filter(({ text: line }) => /^\s*--/.test(line));
  return [...text.matchAll(token)]
    .filter(([found]) => found.startsWith('/'))
    .flatMap(({ 0: found, index }) => linesOf(file, found, lineAt(text, index) - 1))
    .map((each) => ({ ...each, text: each.text.replace(/^\s*(?:\/\*+|\*\/?|\/\/)\s?/, '').replace(/\*\/\s*$/, '') }))
    .filter((each) => /[a-z]/i.test(each.text));
}

/** Returns the first line of each doc comment of a file. */
export function docCommentStartsOf(file: string): Prose[] {
  const text = read(file);
  return [...text.matchAll(token)]
    .filter(([found]) => found.startsWith('/**'))
    .flatMap(({ 0: found, index }) => {
      const lines = linesOf(file, found.slice(3), lineAt(text, index) - 1);
      const first = lines.find((each) => /[a-z]/i.test(each.text));
      return first ? [{ ...first, text: first.text.replace(/^\s*\*?\s*/, '').replace(/\*\/\s*$/, '') }] : [];
    });
}

/** Returns the messages of the errors that a file creates. */
export function messagesOf(file: string): Prose[] {
  const text = read(file);
  return [...text.matchAll(message)].map(({ 2: found, index }) => ({ file, line: lineAt(text, index), text: found! }));
}

/** Returns the names of the tests and groups in a file, without the contracts that they cite. */
export function testNamesOf(file: string): Prose[] {
  const text = read(file);
  return [
    ...[...text.matchAll(testName)].map(({ 2: name, index }) => ({ name: name!, index })),
    ...tableNamesOf(text),
  ].map(({ name, index }) => ({ file, line: lineAt(text, index), text: name.replace(/ \(contracts? [^)]*\)$/, '') }));
}

/** Returns the names after tables of cases: `it.each([…])('name', …)`. */
function tableNamesOf(text: string): { name: string; index: number }[] {
  // Strings and comments are blanked, so that their parentheses do not count.
  const code = text.replaceAll(token, (found) => ' '.repeat(found.length));
  return [...code.matchAll(table)].flatMap(({ 0: found, index }) => {
    let end = index + found.length;
    for (let depth = 1; depth > 0 && end < code.length; end++) depth += { '(': 1, ')': -1 }[code[end]!] ?? 0;
    const name = /^\(\s*(['"`])((?:(?!\1).)+)\1/.exec(text.slice(end))?.[2];
    return name === undefined ? [] : [{ name, index: end }];
  });
}

/** Returns the lines of a Markdown file outside its code blocks. */
export function markdownOf(file: string): Prose[] {
  let isCode = false;
  return linesOf(file, read(file), 0).filter(({ text }) => {
    if (/^\s*```/.test(text)) isCode = !isCode;
    return !isCode && /[a-z]{3}/.test(text);
  });
}

function linesOf(file: string, text: string, linesBefore: number): Prose[] {
  return text.split('\n').map((line, index) => ({ file, line: linesBefore + index + 1, text: line }));
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', end + 1)) line++;
  return line;
}
