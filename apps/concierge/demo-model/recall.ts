import { gatherWishes, memoriesOf, statedIn, WISHES_QUERY } from './gather-wishes.ts';
import type { Step } from './step.ts';
import { answerOf } from './turn.ts';
import type { Turn } from './turn.ts';

/** Answers with the guest's wishes from memory and this conversation. */
export function recall(turn: Turn): Step {
  const loaded = answerOf(turn, 'load_memory');
  if (turn.tools.has('load_memory') && !loaded) return { call: { name: 'load_memory', args: { query: WISHES_QUERY } } };
  const statedNow = gatherWishes(turn).filter(({ source }) => source === 'conversation');
  const currentWishes =
    statedNow.length > 0
      ? ` In this conversation you told me:${statedNow.map(({ words, isNegated }) => `\n- ${isNegated ? 'not ' : ''}${words}`).join('')}`
      : '';
  if (!loaded) return { say: `I have no memory of earlier conversations here.${currentWishes}` };
  if (loaded['error'] !== undefined) return { say: `I cannot look into memory here.${currentWishes}` };
  const remembered = memoriesOf(turn).filter(({ text }) => statedIn(text).length > 0);
  if (remembered.length === 0) return { say: `I remember no preference of yours.${currentWishes}` };
  return {
    say: `I remember that you said:${remembered.map(({ text }) => `\n- ${text}`).join('')}${currentWishes && `\n${currentWishes.trim()}`}`,
  };
}
