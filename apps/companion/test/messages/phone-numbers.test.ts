import { describe, expect, it } from 'vitest';
import { findPhoneNumbers } from '../../src/messages/phone-numbers.ts';

describe('findPhoneNumbers', () => {
  it.each([
    ['Grace: +44 20 7946 0958.', ['442079460958']],
    ['(030) 1234-5678 or 030 12345678', ['03012345678']],
    ['Her PIN is 4711, her room 123 4567', []],
    ['Born on 2001-12-24, moved 24.12.2019', []],
    ['On 2026-11-25 she called from 0171 2345678', ['01712345678']],
    ['1234567890123456789', []],
  ])('finds the numbers of at least eight digits in “%s”', (text, numbers) => {
    expect(findPhoneNumbers(text)).toEqual(numbers);
  });
});
