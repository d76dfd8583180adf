import { describe, expect, it } from 'vitest';
import type { Piece } from '../../src/chat/think-tag-parser.ts';
import { ThinkTagParser } from '../../src/chat/think-tag-parser.ts';

function read(text: string, size: number): { thought: string; text: string } {
  const parser = new ThinkTagParser();
  const pieces: Piece[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(...parser.read(text.slice(i, i + size)));
  pieces.push(...parser.end());
  const joined = (thought: boolean) =>
    pieces
      .filter((each) => each.thought === thought)
      .map((each) => each.text)
      .join('');
  expect(pieces.every((each) => each.text !== '')).toBe(true);
  return { thought: joined(true), text: joined(false) };
}

describe('ThinkTagParser', () => {
  it.each([
    ['<think>a</think>b', 'a', 'b'],
    [' \n<think>\n\na b</think>\n\nc d', 'a b', 'c d'],
    ['<think>\n\n</think>\n\nb', '', 'b'],
    ['<think>a < b </thin></think>c', 'a < b </thin>', 'c'],
    ['<think>never closed', 'never closed', ''],
    ['<think>cut off </thi', 'cut off </thi', ''],
    ['<think>a</think>\n', 'a', ''],
    ['b <think>a</think>', '', 'b <think>a</think>'],
    ['<thinking>b', '', '<thinking>b'],
    ['  b ', '', '  b '],
    ['<thi', '', '<thi'],
    ['', '', ''],
  ])('reads %j as the thought %j and the text %j, in chunks of any size', (input, thought, text) => {
    for (const size of [1, 2, 3, 5, 100]) expect(read(input, size)).toEqual({ thought, text });
  });
});
