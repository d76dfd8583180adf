import { addDays } from '../src/stay.ts';

/** The guest's dates as arguments of a call, and the rest of the message. */
export interface StayPhrase {
  stay: { from?: string; nights?: number };
  rest: string;
}

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
const NIGHTS = new RegExp(
  `\\b(?:for )?(\\d{1,3}|(?<=\\bfor )an?|${NUMBERS.join('|')}) (?:more )?(nights?|weeks?)\\b`,
  'iu',
);
const UNTIL = /\b(?:until|till|to) (\d{4}-\d{2}-\d{2})\b/iu;
const FROM = /\b(?:(?:from|on|starting|beginning)(?: on)? )?(\d{4}-\d{2}-\d{2}|today|tonight|tomorrow)\b(?: night)?/iu;

/** Reads "for two nights from 2026-12-01", "until 2026-12-04", "tonight" and similar phrases. */
export function readStayPhrase(message: string, today: string | undefined): StayPhrase {
  let rest = message;
  const removeMatch = (pattern: RegExp): RegExpExecArray | undefined => {
    const found = pattern.exec(rest) ?? undefined;
    rest = rest.replace(pattern, ' ');
    return found;
  };
  const length = removeMatch(NIGHTS);
  const until = removeMatch(UNTIL)?.[1];
  const from = toDate(removeMatch(FROM)?.[1]?.toLowerCase(), today);
  const nights = length
    ? toNumber(length[1]!) * (/^week/iu.test(length[2]!) ? 7 : 1)
    : nightsBetween(from ?? today, until);
  return { stay: { ...(from !== undefined && { from }), ...(nights !== undefined && { nights }) }, rest };
}

function toDate(word: string | undefined, today: string | undefined): string | undefined {
  if (word === 'today' || word === 'tonight') return today;
  return word === 'tomorrow' ? today && addDays(today, 1) : word;
}

function toNumber(word: string): number {
  return /^an?$/iu.test(word) ? 1 : NUMBERS.indexOf(word.toLowerCase()) + 1 || Number(word);
}

function nightsBetween(from: string | undefined, until: string | undefined): number | undefined {
  if (from === undefined || until === undefined) return undefined;
  const nights = (Date.parse(until) - Date.parse(from)) / 86_400_000;
  return Number.isNaN(nights) ? undefined : nights;
}
