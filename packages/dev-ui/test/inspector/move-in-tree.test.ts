import { describe, expect, it } from 'vitest';
import { moveInTree } from '../../page/inspector/tree/move-in-tree.ts';

const rows = [{ depth: 0, isOpen: true }, { depth: 1, isOpen: false }, { depth: 1 }, { depth: 0, isOpen: true }];

describe('moveInTree', () => {
  it('moves up and down, to the ends, and not further', () => {
    expect(moveInTree(rows, 0, 'ArrowDown')).toEqual({ focus: 1 });
    expect(moveInTree(rows, 3, 'ArrowDown')).toBeUndefined();
    expect(moveInTree(rows, 0, 'ArrowUp')).toBeUndefined();
    expect(moveInTree(rows, 1, 'End')).toEqual({ focus: 3 });
    expect(moveInTree(rows, 1, 'Home')).toEqual({ focus: 0 });
  });

  it('opens a row with the right arrow, and then moves into it', () => {
    expect(moveInTree(rows, 1, 'ArrowRight')).toEqual({ open: true });
    expect(moveInTree(rows, 0, 'ArrowRight')).toEqual({ focus: 1 });
    expect(moveInTree(rows, 2, 'ArrowRight')).toBeUndefined();
    expect(moveInTree(rows, 3, 'ArrowRight')).toBeUndefined();
    expect(moveInTree([{ depth: 0, isOpen: true }, { depth: 0 }], 0, 'ArrowRight')).toBeUndefined();
  });

  it('closes a row with the left arrow, and then moves to its parent', () => {
    expect(moveInTree(rows, 0, 'ArrowLeft')).toEqual({ open: false });
    expect(moveInTree(rows, 1, 'ArrowLeft')).toEqual({ focus: 0 });
    expect(moveInTree(rows, 2, 'ArrowLeft')).toEqual({ focus: 0 });
  });

  it('ignores other keys', () => {
    expect(moveInTree(rows, 0, 'j')).toBeUndefined();
    expect(moveInTree([], 0, 'ArrowDown')).toBeUndefined();
  });
});
