import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/options/shell-word.ts';

describe('shellWord', () => {
  it.each([
    ['agents/hello.ts', 'agents/hello.ts'],
    ['sqlite:///./own.db', 'sqlite:///./own.db'],
    ['my agents', "'my agents'"],
    ["it's", "'it'\\''s'"],
    ['$HOME', "'$HOME'"],
    ['', "''"],
  ])('returns %j as %s', (text, word) => {
    expect(shellWord(text, 'linux')).toBe(word);
  });
});

describe('shellWord on Windows', () => {
  it.each([
    ['agents\\hello.ts', 'agents\\hello.ts'],
    ['sqlite:///C:/own.db', 'sqlite:///C:/own.db'],
    ['my agents', '"my agents"'],
    ["it's", `"it's"`],
    ['say "hi"', '"say ""hi"""'],
    ['a&b', '"a&b"'],
    ['', '""'],
  ])('returns %j as %s', (text, word) => {
    expect(shellWord(text, 'win32')).toBe(word);
  });
});
