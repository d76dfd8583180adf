import { quoteMemory, withoutQuotedMemory } from '@thole/core/kit';
import { describe, expect, it } from 'vitest';

describe('withoutQuotedMemory', () => {
  it('removes every block of quoted memory and nothing else (contract 31)', () => {
    const block = quoteMemory('- user: I like high floors.');
    expect(withoutQuotedMemory(block)).toBe('');
    expect(withoutQuotedMemory(`Before.${block}Between.${quoteMemory('')} After.`)).toBe('Before.Between. After.');
  });

  it('keeps unclosed blocks and single end marks unchanged', () => {
    const [begin, end] = quoteMemory('|').split('|') as [string, string];
    for (const text of [`a ${begin}b`, `a ${end}b`, `${end}${begin}`, '']) expect(withoutQuotedMemory(text)).toBe(text);
  });
});
