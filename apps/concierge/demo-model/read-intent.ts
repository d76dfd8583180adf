import { readAskedStay } from './read-stay.ts';
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
const begins = (words: string): RegExp => new RegExp(`${POLITE}(?:${words})`, 'iu');
const I_WANT = /\b(?:i|we)(?:['’]d| would)? (?:also |now )?(?:like|want|need|wish|have|love) to /.source;
const ROOM_NOW = /^(?:a|an|another|one|the|two|three)\s+(?:[\p{L}-]+\s+){0,2}rooms?\b/iu;

// In this order; the first match decides. A message that begins with an order is one, whatever follows.
const ORDERS: readonly (readonly [Intent, RegExp])[] = [
  ['cancel', begins('cancel')],
  ['book', begins("book\\b|reserve\\b|(?:make|i['’]d like|i want) (?:me )?an? (?:booking|reservation)\\b")],
  ['list', begins('(?:list|show)(?: me)?(?: all)?(?: of)? (?:my|our|the) (?:bookings?|reservations?)')],
  ['search', begins('(?:find|search|look for|looking for|show|list|suggest|recommend)\\b.*\\brooms?\\b')],
  [
    'book',
    begins(
      "(?:give|get) (?:me|us)\\b.*\\brooms?\\b|(?:i|we)(?:['’]ll| will)? take (?:the )?room\\b|(?:can|could|may) (?:i|we) (?:have|get)\\b.*\\broom\\b",
    ),
  ],
  ['remember', begins('remember\\b(?! (?:me|us)\\b)(?=.*\\w)')],
  [
    'recall',
    /\bwhat\b.*\b(?:do|did) (?:you|i|we)\b.*\b(?:know|remember|recall|prefer|like|want)\b|\bdo you (?:know|remember|recall)\b|\bmy (?:preferences|wishes)\b.*\?/iu,
  ],
];

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

/** Returns the topic of a message: the requested action, otherwise the stated wish, otherwise its tone. */
export function readIntent(message: string): Intent {
  const intents = splitSentences(message).map(intentOfSentence);
  const is = (...ones: Intent[]): Intent | undefined => intents.find((intent) => ones.includes(intent));
  return (
    is('cancel', 'book', 'list', 'search', 'remember', 'recall') ??
    is('wish') ??
    is('help', 'thanks', 'farewell') ??
    is('greeting') ??
    'unknown'
  );
}

function intentOfSentence(sentence: string): Intent {
  const order = ORDERS.find(([, pattern]) => pattern.test(sentence))?.[0];
  if (order) return order;
  const wish = readWish(sentence);
  if (wish) return isForNow(sentence, wish.words) ? 'book' : 'wish';
  return OTHERS.find(([, pattern]) => pattern.test(sentence))?.[0] ?? 'unknown';
}

/** "I need a room tonight" asks for a room now; "I always want a room with a desk" does not. */
function isForNow(sentence: string, words: string): boolean {
  if (/\b(?:always|usually|generally|normally|mostly|never|prefer)\b/iu.test(sentence)) return false;
  if (
    /^(?:(?:a|another|one) room|to stay)$/iu.test(words) ||
    /\b(?:as|like) last time\b|\bas usual\b|^the same room\b/iu.test(words)
  )
    return true;
  const { from, nights } = readAskedStay(words, '2000-01-01').stay;
  return (ROOM_NOW.test(words) || /^to stay\b/iu.test(words)) && (from !== undefined || nights !== undefined);
}
