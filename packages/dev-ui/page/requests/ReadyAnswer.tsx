import type { RecordedInterrupt } from '@thole/core/kit';
import { isRunning } from '../state/run.ts';
import { changeDraft } from './request-drafts.ts';

/** An answer that will be sent together with other answers. */
export function ReadyAnswer({ recorded, text }: { recorded: RecordedInterrupt; text: string }) {
  return (
    <div class="button-row request-ready">
      <p>{text}</p>
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
