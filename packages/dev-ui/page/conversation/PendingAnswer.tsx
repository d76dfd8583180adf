import type { Event, FunctionCall, JsonObject } from '@thole/core';
import { useState } from 'preact/hooks';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { isRunning } from '../state/run.ts';
import { answerCall } from '../state/run-actions.ts';
import { readAnswer } from './read-answer.ts';

/**
 * A form to answer a call that waits for a person: yes or no to a question, or a JSON object or a text as the tool's
 * result.
 */
export function PendingAnswer({ event, call }: { event: Event; call: FunctionCall }) {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [busy, setBusy] = useState(false);
  const question = questionOf(call);
  const isConfirmation = call.name === 'adk_request_confirmation';
  async function answer(response: JsonObject): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await answerCall(event, call, response);
    } catch (thrown) {
      setError(thrown);
    }
    setBusy(false);
  }
  function submit(submitted: Event | SubmitEvent): void {
    (submitted as SubmitEvent).preventDefault();
    void answer(readAnswer(text));
  }
  const blocked = busy || isRunning.value;
  return (
    <form
      class="pending"
      aria-label={`Answer ${call.name}`}
      onSubmit={(submitted) => submit(submitted as unknown as SubmitEvent)}
    >
      {question && <p>{question}</p>}
      {isConfirmation ? (
        <div class="pending-buttons">
          <button
            type="button"
            class="button button-primary"
            disabled={blocked}
            onClick={() => void answer({ confirmed: true })}
          >
            Approve
          </button>
          <button type="button" class="button" disabled={blocked} onClick={() => void answer({ confirmed: false })}>
            Decline
          </button>
        </div>
      ) : (
        <div class="pending-line">
          <textarea
            class="field"
            rows={1}
            aria-label={`Result of ${call.name}`}
            placeholder="A text or a JSON object"
            value={text}
            onInput={(input) => setText(input.currentTarget.value)}
            onKeyDown={(key) => {
              if (key.key === 'Enter' && !key.shiftKey && !key.isComposing && text.trim() !== '' && !blocked)
                submit(key as unknown as SubmitEvent);
            }}
          />
          <button type="submit" class="button button-primary" disabled={blocked || text.trim() === ''}>
            Answer
          </button>
        </div>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </form>
  );
}

/** Returns the question of the call, if it has one. */
function questionOf(call: FunctionCall): string | undefined {
  const confirmation = call.args['toolConfirmation'];
  const hint =
    typeof confirmation === 'object' && confirmation !== null && !Array.isArray(confirmation)
      ? confirmation['hint']
      : (call.args['message'] ?? call.args['prompt'] ?? call.args['question']);
  return typeof hint === 'string' && hint !== '' ? hint : undefined;
}
