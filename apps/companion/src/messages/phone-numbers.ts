/** Name of the channel whose senders are phone numbers. */
export const PHONE_CHANNEL = 'whatsapp';

/** A phone number has at least this many digits. */
export const MIN_DIGITS = 8;

const MAX_DIGITS = 15;
const NUMBER = /\+?\(?\d[\d\s()./-]*\d/g;
/** Dates are left out, because they have up to eight digits too. */
const DATE = /\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/g;

/** Returns the different phone numbers in a text as digits, in order. */
export function findPhoneNumbers(text: string): string[] {
  const found = Array.from(text.replaceAll(DATE, '·').matchAll(NUMBER), ([number]) => digitsOf(number));
  return [...new Set(found.filter(({ length }) => length >= MIN_DIGITS && length <= MAX_DIGITS))];
}

/** True if a text has digits, and otherwise only characters of phone numbers. */
export function looksLikeNumber(text: string): boolean {
  return /\d/.test(text) && /^[+\d\s()./-]+$/.test(text.trim());
}

/** Returns the digits of a text. */
export function digitsOf(text: string): string {
  return text.replaceAll(/\D/g, '');
}
