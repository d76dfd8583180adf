import type { RecordedInterrupt } from '@thole/core/kit';
import { useId } from 'preact/hooks';
import { readAnswer } from '../conversation/read-answer.ts';
import { isComposing } from '../keys/is-composing.ts';
import { currentSeconds } from '../state/now.ts';
import { isRunning } from '../state/run.ts';
import { DueTime } from './DueTime.tsx';
import { Problem } from './Problem.tsx';
import { ReadyAnswer } from './ReadyAnswer.tsx';
import { draftOf, writeField } from './request-drafts.ts';
import { requestState } from './request-state.ts';
import { submitAnswer } from './send-answers.ts';
import './requests.css';

/** A form for the result of a long-running call: a JSON object or a text. */
export function ResultForm({ recorded }: { recorded: RecordedInterrupt }) {
  const { call, interrupt } = recorded;
  const { answer, problems, values } = draftOf(interrupt.id);
  const problemId = useId();
  const state = requestState(recorded, currentSeconds());
  const question = ['message', 'prompt', 'question'].map((name) => call.args[name]).find(isText);
  const text = String(values[''] ?? '');
  const blocked = isRunning.value || text.trim() === '';
  const submit = (): void => void submitAnswer(recorded, readAnswer(text), ['']);
  return (
    <form
      class="pending"
      aria-label={`Answer ${call.name}`}
      onSubmit={(submitted) => {
        submitted.preventDefault();
        submit();
      }}
    >
      {question !== undefined && <p>{question}</p>}
      <DueTime interrupt={interrupt} state={state} />
      {state === 'open' && answer && (
        <ReadyAnswer recorded={recorded} text={`Result: ${JSON.stringify(answer.value)}`} />
      )}
      {state === 'open' && !answer && (
        <div class="pending-line">
          <textarea
            class="field"
            rows={1}
            aria-label={`Result of ${call.name}`}
            aria-describedby={problemId}
            aria-invalid={problems[''] !== undefined}
            placeholder="Text or JSON"
            value={text}
            onInput={(input) => writeField(interrupt.id, '', input.currentTarget.value)}
            onKeyDown={(key) => {
              if (key.key !== 'Enter' || key.shiftKey || isComposing(key) || blocked) return;
              key.preventDefault();
              submit();
            }}
          />
          <button type="submit" class="button button-primary" disabled={blocked}>
            Answer
          </button>
        </div>
      )}
      <Problem id={problemId} text={problems['']} />
    </form>
  );
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
