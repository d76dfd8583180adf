import type { Authors } from '../index/authors.ts';

/** The subject of a query: the user, the other authors, or one author by number. */
export type QuerySubject = 'user' | 'others' | number;

// "Can you tell me what I …" is not about the assistant.
const REQUEST =
  /^\W*(?:please,? )?(?:can|could|would|will|do|did) you (?:please )?(?:tell|remind|remember|recall|know|find|show|say)\b(?: me)?|^\W*(?:please,? )?(?:tell|remind|show) me\b/i;
const TOKEN = /[\p{L}\p{M}\p{N}]+/gu;
const USER = new Set('i my me mine myself we our us'.split(' '));
const OTHERS = new Set('you your yours yourself'.split(' '));
const AUXILIARIES = new Set(
  'am are is was were do does did have has had can could will would should shall may might must'.split(' '),
);

/**
 * Returns the subject of a query: the person after an auxiliary verb ("did I", "was my", "have you", "does Ada"), otherwise the first
 * author in the query, otherwise the pronoun if only "I" or only "you" occurs. Otherwise returns the first pronoun in chats, and the
 * user in long messages.
 */
export function findQuerySubject(text: string, authors: Authors, p: { isChat: boolean }): QuerySubject | undefined {
  const tokens = text.replace(REQUEST, ' ').toLowerCase().match(TOKEN) ?? [];
  const people = tokens.map((token) => authors.findByName(token) ?? pronounOf(token));
  for (let i = 1; i < tokens.length; i++)
    if (people[i] !== undefined && AUXILIARIES.has(tokens[i - 1]!)) return people[i];
  const named = people.find((person) => typeof person === 'number');
  if (named !== undefined) return named;
  const pronouns = new Set(people.filter((person) => person !== undefined));
  if (pronouns.size === 1) return [...pronouns][0];
  return p.isChat ? [...pronouns][0] : 'user';
}

function pronounOf(token: string): QuerySubject | undefined {
  return USER.has(token) ? 'user' : OTHERS.has(token) ? 'others' : undefined;
}
