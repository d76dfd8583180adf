import { book } from './book.ts';
import { cancel } from './cancel.ts';
import { listBookings } from './list-bookings.ts';
import { readIntent } from './read-intent.ts';
import type { Intent } from './read-intent.ts';
import { recall } from './recall.ts';
import { remember } from './remember.ts';
import { search } from './search.ts';
import { acknowledgeWish, smallTalk } from './small-talk.ts';
import type { Step } from './step.ts';
import type { Turn } from './turn.ts';

const rules: { readonly [intent in Intent]?: (turn: Turn) => Step } = {
  book,
  cancel,
  list: listBookings,
  search,
  recall,
  remember,
  wish: acknowledgeWish,
};

/** Returns the next step of the demo model, from the message and the tool answers so far. */
export function nextStep(turn: Turn): Step {
  const intent = readIntent(turn.message);
  return rules[intent]?.(turn) ?? { say: smallTalk(intent) };
}
