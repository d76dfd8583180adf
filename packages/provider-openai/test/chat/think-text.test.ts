import { expect, it } from 'vitest';
import type { Piece } from '../../src/chat/think-text.ts';
import { ThinkText } from '../../src/chat/think-text.ts';

function read(text: string, size: number): { thought: string; text: string } {
  const tags = new ThinkText();
  const pieces: Piece[] = [];
  for (let i = 0; i < text.length; i += size) pieces.push(...tags.read(text.slice(i, i + size)));
  pieces.push(...tags.end());
  const joined = (thought: boolean) =>
    pieces
      .filter((each) => each.thought === thought)
      .map((each) => each.text)
      .join('');
  expect(pieces.every((each) => each.text !== '')).toBe(true);
  return { thought: joined(true), text: joined(false) };
}

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
])('%j is read as the thought %j and the text %j, in chunks of any size', (told, thought, text) => {
  for (const size of [1, 2, 3, 5, 100]) expect(read(told, size)).toEqual({ thought, text });
});
