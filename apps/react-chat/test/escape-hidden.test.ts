import { describe, expect, it } from 'vitest';
import { escapeHidden } from '../page/escape-hidden.ts';

describe('escapeHidden', () => {
  it('shows characters that are invisible or change the direction of text as escapes', () => {
    expect(escapeHidden('a\u202eb\u200bc 👩\u200d💻')).toBe('a\\u{202e}b\\u{200b}c 👩\u200d💻');
  });
});
