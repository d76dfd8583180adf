import { describe, expect, it } from 'vitest';
import { readStayPhrase } from '../../demo-model/read-stay.ts';

describe('readStayPhrase', () => {
  it.each([
    ['book a room for two nights from 2026-12-01', { from: '2026-12-01', nights: 2 }],
    ['book a room from 2026-12-01 to 2026-12-04', { from: '2026-12-01', nights: 3 }],
    ['book a room until 2026-11-25', { nights: 3 }],
    ['book a room tonight', { from: '2026-11-22' }],
    ['book a room for tomorrow, for a week', { from: '2026-11-23', nights: 7 }],
    ['book a room for 40 nights', { nights: 40 }],
    ['book a room at most 150 EUR a night', {}],
  ])('reads %j as %j', (text, stay) => {
    expect(readStayPhrase(text, '2026-11-22').stay).toEqual(stay);
  });

  it('returns no date if the text has none', () => {
    expect(readStayPhrase('book a room tonight', undefined).stay).toEqual({});
  });
});
