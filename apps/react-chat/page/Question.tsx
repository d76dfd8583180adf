import { useId, useState } from 'react';
import type { InterruptData } from './chat-api.ts';

/** A question of the agent, and a field for the answer. */
export function Question(p: { interrupt: InterruptData; onAnswer: (value: unknown) => void }) {
  const [text, setText] = useState('');
  const id = useId();
  const { message = 'The concierge has a question.', responseSchema } = p.interrupt;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        p.onAnswer(parseValue(text, responseSchema?.type));
      }}
    >
      <label htmlFor={id}>{message}</label>
      <input id={id} value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit">Answer</button>
    </form>
  );
}

/** Returns the text as a value of the type. The server validates it, and asks again if it is not valid. */
function parseValue(text: string, type: string | undefined): unknown {
  if (type === undefined || type === 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
