import { toStoredFact } from './to-stored-fact.ts';
import type { Step } from './step.ts';
import { answerOf, errorIn } from './turn.ts';
import type { Turn } from './turn.ts';

/** Stores the fact of a message that begins with "remember", word for word. */
export function remember(turn: Turn): Step {
  const fact = /\bremember(?: this)?(?: that\b|:|,)?\s+([^]+)$/iu.exec(turn.message)?.[1]?.trim();
  if (!fact) return { say: 'What shall I remember?' };
  if (!turn.tools.has('remember')) return { say: 'I have no memory here, so I know it only in this conversation.' };
  const answer = answerOf(turn, 'remember');
  if (!answer) return { call: { name: 'remember', args: { fact: toStoredFact(fact) } } };
  return answer['remembered'] === true
    ? { say: `I will remember: “${fact}”` }
    : { say: `I could not keep that: ${errorIn(answer, 'memory did not answer.')}` };
}
