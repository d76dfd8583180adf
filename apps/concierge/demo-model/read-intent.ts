import { readStayPhrase } from './read-stay.ts';
import { readWish } from './read-wish.ts';
import { splitSentences } from './split-sentences.ts';

/** The topic of a message. */
export type Intent =
  | 'remember'
  | 'recall'
  | 'wish'
  | 'book'
  | 'cancel'
  | 'list'
  | 'search'
  | 'help'
  | 'greeting'
  | 'thanks'
  | 'farewell'
  | 'unknown';

const POLITE =
  /^(?:(?:hello|hi|hey|good (?:morning|day|evening)|please|ok|okay|now|then|and|yes|so|great|thanks|thank you)[,!.]?\s+)*(?:(?:can|could|would|will) you\s+)?(?:please\s+|now\s+)*/
    .source;
const startsWith = (words: string): RegExp => new RegExp(`${POLITE}(?:${words})`, 'iu');
const I_WANT = /\b(?:i|we)(?:['’]d| would)? (?:also |now )?(?:like|want|need|wish|have|love) to /.source;
const ROOM_NOW = /^(?:a|an|another|one|the|two|three)\s+(?:[\p{L}-]+\s+){0,2}rooms?\b/iu;

// The first matching pattern decides. A message that begins with an order is that order, whatever follows.
const ORDERS: readonly (readonly [Intent, RegExp])[] = [
  ['cancel', startsWith('cancel')],
  ['book', startsWith("book\\b|reserve\\b|(?:make|i['’]d like|i want) (?:me )?an? (?:booking|reservation)\\b")],
  ['list', startsWith('(?:list|show)(?: me)?(?: all)?(?: of)? (?:my|our|the) (?:bookings?|reservations?)')],
  ['search', startsWith('(?:find|search|look for|looking for|show|list|suggest|recommend)\\b.*\\brooms?\\b')],
  [
    'book',
    startsWith(
      "(?:give|get) (?:me|us)\\b.*\\brooms?\\b|(?:i|we)(?:['’]ll| will)? take (?:the )?room\\b|(?:can|could|may) (?:i|we) (?:have|get)\\b.*\\broom\\b",
    ),
  ],
  ['remember', startsWith('remember\\b(?! (?:me|us)\\b)(?=.*\\w)')],
  [
    'recall',
    /\bwhat\b.*\b(?:do|did) (?:you|i|we)\b.*\b(?:know|remember|recall|prefer|like|want)\b|\bdo you (?:know|remember|recall)\b|\bmy (?:preferences|wishes)\b.*\?/iu,
  ],
];

/** Patterns for sentences that are neither orders nor wishes. */
const OTHERS: readonly (readonly [Intent, RegExp])[] = [
  ['cancel', new RegExp(`${I_WANT}cancel\\b|\\bcancel (?:my|the|our|that|this|it|booking|room)\\b`, 'iu')],
  [
    'book',
    new RegExp(
      `${I_WANT}(?:book|reserve|stay|make)\\b|\\bbook (?:me|us|it|that|this|a|the|room)\\b|\\b(?:same|room) (?:as|like) last time\\b`,
      'iu',
    ),
  ],
  [
    'list',
    /\b(?:my|our) (?:bookings?|reservations?)\b|\bhave (?:i|we) (?:got )?(?:booked|reserved)\b|\b(?:which|what) (?:bookings?|reservations?)\b/iu,
  ],
  [
    'search',
    /\b(?:which|what|any|free|available|is there|are there|do you have|have you)\b.*\b(?:rooms?|free|available)\b|\bdo you have\b|\b(?:recommend|suggest)\b|\b(?:like|want|need) to (?:find|look for|search|see)\b.*\brooms?\b/iu,
  ],
  ['help', /^\W*(?:(?:i need |please )?help|what can (?:you|i) do|how does this work|who are you|what are you)\b/iu],
  ['greeting', /^\W*(?:hello|hi|hey|good (?:morning|day|afternoon|evening)|greetings|moin)\b/iu],
  ['thanks', /\b(?:thanks|thank you|cheers)\b/iu],
  ['farewell', /^\W*(?:good ?bye|bye|see you|good night|farewell)\b/iu],
];

/** Returns the topic of a message: a requested action, otherwise a wish, otherwise small talk. */
export function readIntent(message: string): Intent {
  const intents = splitSentences(message).map(readSentence);
  const findIntent = (...candidates: Intent[]): Intent | undefined =>
    intents.find((intent) => candidates.includes(intent));
  return (
    findIntent('cancel', 'book', 'list', 'search', 'remember', 'recall') ??
    findIntent('wish') ??
    findIntent('help', 'thanks', 'farewell') ??
    findIntent('greeting') ??
    'unknown'
  );
}

function readSentence(sentence: string): Intent {
  const order = ORDERS.find(([, pattern]) => pattern.test(sentence))?.[0];
  if (order) return order;
  const wish = readWish(sentence);
  if (wish) return isForNow(sentence, wish.words) ? 'book' : 'wish';
  return OTHERS.find(([, pattern]) => pattern.test(sentence))?.[0] ?? 'unknown';
}

/** True for a request such as "I need a room tonight", false for a wish such as "I always want a room with a desk". */
function isForNow(sentence: string, words: string): boolean {
  if (/\b(?:always|usually|generally|normally|mostly|never|prefer)\b/iu.test(sentence)) return false;
  if (
    /^(?:(?:a|another|one) room|to stay)$/iu.test(words) ||
    /\b(?:as|like) last time\b|\bas usual\b|^the same room\b/iu.test(words)
  )
    return true;
  const { from, nights } = readStayPhrase(words, '2000-01-01').stay;
  return (ROOM_NOW.test(words) || /^to stay\b/iu.test(words)) && (from !== undefined || nights !== undefined);
}
