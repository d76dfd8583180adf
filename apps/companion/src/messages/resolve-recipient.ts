import type { User } from '@thole/channels';
import { textOf } from '@thole/core';
import type { MemoryEntry } from '@thole/core';
import { digitsOf, findPhoneNumbers, looksLikeNumber, MIN_DIGITS, PHONE_CHANNEL } from './phone-numbers.ts';

/**
 * A person who can get a message: a user, or a phone number that no user has. `isGuest` marks a guest who was found by name: guests
 * choose their names themselves. A type, because an interface is not assignable to JSON.
 */
export type Recipient = { userId: string; name: string; isGuest?: true } | { number: string; name: string };

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
  const name = recipient.trim().replace(/^my\s+/i, '');
  if (name === '') return { ask: 'Ask who should get the message.', candidates: [] };
  if (looksLikeNumber(name)) {
    const number = digitsOf(name);
    if (number.length < MIN_DIGITS)
      return { ask: `A phone number has at least ${MIN_DIGITS} digits. Ask for it.`, candidates: [] };
    return toResolution([findOwner(number, users) ?? { number, name }]);
  }
  const matches = findUsersByName(name, users);
  if (matches.length > 0) return toResolution(matches.map(toRecipient));
  return toResolution(findInMemories(name, users, await search(name)));
}

function findUsersByName(name: string, users: readonly User[]): User[] {
  const key = name.toLowerCase();
  const exact = users.filter((user) => user.id === key || user.name.toLowerCase() === key);
  return exact.length > 0 ? exact : users.filter((user) => user.name.toLowerCase().split(/\s+/)[0] === key);
}

/** Returns the people in memories that contain the name: by phone number, otherwise by the name of a user. */
function findInMemories(name: string, users: readonly User[], entries: readonly MemoryEntry[]): Recipient[] {
  // Turns of the agent do not count, because they may be guesses.
  const isReliable = ({ author, kind }: MemoryEntry): boolean => kind !== 'turn' || author === 'user';
  const texts = entries.filter(isReliable).map(({ content }) => textOf(content));
  const matches = texts.filter((text) => hasWords(text, name));
  const numbers = matches.flatMap((text) => findPhoneNumbers(text));
  if (numbers.length > 0) return numbers.map((number) => findOwner(number, users) ?? { number, name });
  return users.filter((user) => matches.some((text) => hasWords(text, user.name))).map(toRecipient);
}

/** Returns the user with this number. The id of a stranger on another channel may have the same digits. */
function findOwner(number: string, users: readonly User[]): Recipient | undefined {
  const user = users.find(({ identities }) =>
    identities.some(({ channel, sender }) => channel === PHONE_CHANNEL && digitsOf(sender) === number),
  );
  return user && { userId: user.id, name: user.name };
}

function toResolution(recipients: readonly Recipient[]): Resolution {
  const byKey = new Map(recipients.map((each) => ['userId' in each ? each.userId : `+${each.number}`, each]));
  const [first, ...others] = byKey.values();
  if (!first) return { ask: 'No person with this name is known. Ask for a phone number.', candidates: [] };
  if (others.length === 0) return first;
  const candidates = [first, ...others].map((each) => ('userId' in each ? each.name : each.number));
  return { ask: 'Several people match. Ask which of them is meant.', candidates };
}

function toRecipient({ id, name, role }: User): Recipient {
  return { userId: id, name, ...(role === 'guest' && { isGuest: true }) };
}

/** True if a text contains these words next to each other, whole and in any case. */
function hasWords(text: string, words: string): boolean {
  const pattern = words.toLowerCase().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'u').test(text.toLowerCase());
}
