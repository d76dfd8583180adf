import type { RecordedInterrupt } from '@thole/core/kit';
import { isRunning } from '../state/run.ts';
import { changeDraft } from './request-drafts.ts';

/** An answer that waits to be sent with others. */
export function ReadyAnswer({ recorded, words }: { recorded: RecordedInterrupt; words: string }) {
  return (
    <div class="button-row request-ready">
      <p>{words}</p>
      <button
        type="button"
        class="button"
        disabled={isRunning.value}
        onClick={() => changeDraft(recorded.interrupt.id, { answer: undefined })}
      >
        Change
      </button>
    </div>
  );
}
