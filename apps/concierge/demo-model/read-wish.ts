/** A guest's wish about rooms. */
export interface Wish {
  /** The wish in the guest's words, without "I prefer" at the beginning and without a full stop. */
  words: string;
  /** True if the guest does not want it. */
  isNegated: boolean;
  /** True for a remembered fact that is not a preference. */
  isFact?: boolean | undefined;
}

/** Prefix of a fact that is stored for later and is not a wish by itself. */
export const REMEMBERED_PREFIX = 'Remember for my stays: ';

const SUBJECT = /\b(?:i|we|(?:the|this|our) guest)(?:['’](?:d|ll|ve|m|re))?/.source;
const MODIFIERS =
  /(?:\s+(?:really|always|usually|generally|normally|mostly|often|still|just|also|only|much|very|definitely|strongly|especially|particularly|absolutely|would|do|does|not|never|rather|will|am|are|don['’]t|doesn['’]t|won['’]t|wouldn['’]t))*/
    .source;
const WANTING =
  /prefers?|wants?|likes?|loves?|needs?|enjoys?|adores?|favou?rs?|chooses?|appreciates?|requires?|wish(?:es)? for|insists? on|hopes? for|cares? for|fond of|have|get/
    .source;
const REFUSING = /hates?|dislikes?|avoids?|detests?|(?:can(?:no|['’])t) stand/.source;

const STATEMENT = new RegExp(`${SUBJECT}(${MODIFIERS})\\s+(?:(${WANTING})|(?:${REFUSING}))\\s+([^]+)$`, 'iu');
const IMPERATIVE = /^(?:please,? )?always (?:give|book|get|reserve|find|choose) (?:me|us) ([^]+)$/iu;
const FAVOURITE = /\b(?:my|our) (?:favou?rite|preferred) [^]+$/iu;
/** "… is a must" and "… is important to me". */
const IMPORTANT =
  /^([^]+?) (?:is|are) (?:a must|important (?:to|for) (?:me|us)|what (?:i|we) (?:like|want|prefer)[^]*)$/iu;

/** A request for now, not a lasting wish. */
const ONE_TIME_REQUEST =
  /^(?:to (?:book|reserve|cancel|look for|find|search|list|check|know|hear|ask|make|change)\b|to see (?:my|our|the|your|all|which|what|a list|rooms|bookings)\b|(?:some )?help\b|(?:my|our) (?:bookings?|reservations?)\b)/iu;
const LASTING = /\b(?:always|usually|generally|normally|mostly|never)\b/iu;

/** Returns the wish in a sentence. Undefined for a sentence without a wish and for a question. */
export function readWish(sentence: string): Wish | undefined {
  const text = sentence.trim().replace(/[\s.!…;]+$/u, '');
  if (text.endsWith('?')) return undefined;
  const imperative = IMPERATIVE.exec(text);
  if (imperative) return { words: imperative[1]!, isNegated: false };
  const statement = STATEMENT.exec(text);
  if (statement) return readStatement(statement[1]!, statement[2], statement[3]!);
  const other = IMPORTANT.exec(text)?.[1] ?? FAVOURITE.exec(text)?.[0];
  return other === undefined ? undefined : { words: other, isNegated: false };
}

/** Returns the text after "remember" in a message or a note as a wish, also if it is not phrased as a wish. */
export function readRemembered(text: string): Wish | undefined {
  const fact = /^(?:please,? )?remember(?: for my stays)?(?: this)?(?: that\b|:|,)?\s+([^]+?)[\s.!…]*$/iu.exec(
    text.trim(),
  )?.[1];
  if (fact === undefined) return undefined;
  return readWish(fact) ?? { words: fact, isNegated: false, isFact: true };
}

function readStatement(modifiers: string, wanting: string | undefined, words: string): Wish | undefined {
  const isLasting = LASTING.test(modifiers);
  // "I have a dog" is not a wish; "I always have a room with a desk" is one.
  if (wanting !== undefined && /^(?:have|get)$/iu.test(wanting) && !isLasting && !/\brather\b/iu.test(modifiers))
    return undefined;
  if (!isLasting && ONE_TIME_REQUEST.test(words)) return undefined;
  const isRefused = /\b(?:not|never)\b|n['’]t\b/iu.test(modifiers);
  const notPrefix = /^not (?:to (?:be|have|get|stay|sleep) )?/iu.exec(words)?.[0] ?? '';
  return {
    words: words.slice(notPrefix.length),
    isNegated: [isRefused, wanting === undefined, notPrefix !== ''].filter(Boolean).length % 2 === 1,
  };
}
