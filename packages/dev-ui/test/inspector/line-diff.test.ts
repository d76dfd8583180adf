import { describe, expect, it } from 'vitest';
import { lineDiff } from '../../page/inspector/line-diff.ts';

const diff = (before: string, after: string): string[] =>
  lineDiff(before, after).map(({ kind, text }) => ({ same: ' ', added: '+', removed: '-' })[kind] + text);

describe('lineDiff', () => {
  it('removes and adds as few lines as possible', () => {
    expect(diff('a\nb\nc\nd', 'a\nc\nx\nd')).toEqual([' a', '-b', ' c', '+x', ' d']);
  });

  it('returns no changes for equal texts', () => {
    expect(diff('a\nb', 'a\nb')).toEqual([' a', ' b']);
  });

  it('contains both texts, for any texts', () => {
    const texts = ['', 'a', 'a\na\nb', 'b\na\na', 'x\ny\nz\nx', '\n\n'];
    for (const before of texts)
      for (const after of texts) {
        const lines = lineDiff(before, after);
        const without = (kind: string): string =>
          lines.flatMap((line) => (line.kind === kind ? [] : [line.text])).join('\n');
        expect(without('added')).toBe(before);
        expect(without('removed')).toBe(after);
      }
  });

  it('contains both texts, also if they are large and their lines moved', () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => `line ${i}`);
    const moved = lines.map((_, i) => lines[(i * 1_117) % 3_000]!);
    const changes = lineDiff(lines.join('\n'), moved.join('\n'));
    expect(changes.flatMap(({ kind, text }) => (kind === 'added' ? [] : [text]))).toEqual(lines);
    expect(changes.flatMap(({ kind, text }) => (kind === 'removed' ? [] : [text]))).toEqual(moved);
  });

  it('shows two large different texts as removed and added, without comparing all lines', () => {
    const lines = (mark: string): string => Array.from({ length: 20_000 }, (_, i) => mark + i).join('\n');
    expect(lineDiff(lines('a'), lines('b'))).toHaveLength(40_000);
  });
});
