import { statedIn } from './gather-wishes.ts';
import type { Intent } from './read-intent.ts';
import type { Step } from './step.ts';
import type { Turn } from './turn.ts';

/** Confirms a wish and says how long it is known. The plugin of memory stores the message. */
export function acknowledgeWish(turn: Turn): Step {
  const wishes = statedIn(turn.message).map(({ words, isNegated }) => (isNegated ? `not “${words}”` : `“${words}”`));
  const later = turn.tools.has('load_memory')
    ? 'Once this conversation has ended, I can recall it in later ones.'
    : 'I have no memory here, so I know it only in this conversation.';
  return { say: `Thank you, I noted: ${wishes.join(' and ')}. ${later}` };
}

/** Returns an answer to a message that needs no tool. */
export function smallTalk(intent: Intent): string {
  return answers[intent] ?? `I did not understand that: I am a demo that follows simple rules. ${ABILITIES}`;
}

const ABILITIES =
  'I can look for rooms (“Find a quiet room for two nights from 2026-12-01”), book (“Book me a room on a high floor”), list and cancel bookings, and go by what you prefer (“I prefer rooms on high floors”).';

const answers: { readonly [intent in Intent]?: string } = {
  help: ABILITIES,
  greeting: `Welcome! ${ABILITIES}`,
  thanks: 'You are welcome.',
  farewell: 'Goodbye, and see you soon.',
};
