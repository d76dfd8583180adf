import type { User } from '@thole/channels';
import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { digitsOf, looksLikeNumber, MIN_DIGITS, phoneNumbersIn } from './phone-numbers.ts';

/** A person to whom a message can go: a user, or a phone number that no user has. Types, so that they count as JSON. */
export type Recipient = { userId: string; name: string } | { number: string; name: string };

/** The recipient, or the reason why the caller must be asked. */
export type Resolution = Recipient | { ask: string; candidates: string[] };

/** Arguments of `resolveRecipient`. */
export interface RecipientQuery {
  /** Name, phone number or relationship, such as `girlfriend`. */
  recipient: string;
  users: readonly User[];
  /** Searches the caller's memory. */
  search: (query: string) => Promise<readonly MemoryEntry[]>;
}

/**
 * Finds one recipient: by number, by name, otherwise by what the caller's memory says about a relationship or nickname. Only one
 * clear match is a recipient.
 */
export async function resolveRecipient({ recipient, users, search }: RecipientQuery): Promise<Resolution> {
  const wanted = recipient.trim().replace(/^my\s+/i, '');
  if (wanted === '') return { ask: 'Ask who should get the message.', candidates: [] };
  if (looksLikeNumber(wanted)) {
    const number = digitsOf(wanted);
    if (number.length < MIN_DIGITS)
      return { ask: `A phone number has at least ${MIN_DIGITS} digits. Ask for it.`, candidates: [] };
    return oneOf([ownerOf(number, users) ?? { number, name: wanted }]);
  }
  const named = usersNamed(wanted, users);
  if (named.length > 0) return oneOf(named.map(recipientOf));
  return oneOf(recipientsIn(wanted, users, await search(wanted)));
}

function usersNamed(name: string, users: readonly User[]): User[] {
  const key = name.toLowerCase();
  const exact = users.filter((user) => user.id === key || user.name.toLowerCase() === key);
  return exact.length > 0 ? exact : users.filter((user) => user.name.toLowerCase().split(/\s+/)[0] === key);
}

/** Returns the people that memories with the wanted word name: by phone number, otherwise by the name of a user. */
function recipientsIn(wanted: string, users: readonly User[], entries: readonly MemoryEntry[]): Recipient[] {
  // Answers of the agent may be guesses.
  const isSaid = ({ author, kind }: MemoryEntry): boolean => kind !== 'turn' || author === 'user';
  const texts = entries.filter(isSaid).map(({ content }) => textOf(content));
  const about = texts.filter((text) => hasWords(text, wanted));
  const numbers = about.flatMap((text) => phoneNumbersIn(text));
  if (numbers.length > 0) return numbers.map((number) => ownerOf(number, users) ?? { number, name: wanted });
  return users.filter((user) => about.some((text) => hasWords(text, user.name))).map(recipientOf);
}

/** Returns the user with this number on a channel whose senders are phone numbers. */
function ownerOf(number: string, users: readonly User[]): Recipient | undefined {
  const isNumber = (sender: string): boolean => looksLikeNumber(sender) && digitsOf(sender) === number;
  const user = users.find(({ identities }) => identities.some(({ sender }) => isNumber(sender)));
  return user && recipientOf(user);
}

function oneOf(recipients: readonly Recipient[]): Resolution {
  const byKey = new Map(recipients.map((each) => ['userId' in each ? each.userId : `+${each.number}`, each]));
  const [first, ...others] = byKey.values();
  if (!first) return { ask: 'Nobody is known by that name. Ask for a phone number.', candidates: [] };
  if (others.length === 0) return first;
  const candidates = [first, ...others].map((each) => ('userId' in each ? each.name : each.number));
  return { ask: 'Several people match. Ask which of them is meant.', candidates };
}

function recipientOf({ id, name }: User): Recipient {
  return { userId: id, name };
}

/** True if a text contains these words next to each other, whole and in any case. */
function hasWords(text: string, words: string): boolean {
  const pattern = words.toLowerCase().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'u').test(text.toLowerCase());
}
