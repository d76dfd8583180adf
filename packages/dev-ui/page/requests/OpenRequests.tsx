import { ErrorNote } from '../components/ErrorNote.tsx';
import { isRunning } from '../state/run.ts';
import { openRequests } from '../state/requests.ts';
import { changeDraft, draftOf } from './request-drafts.ts';
import { answerableOf, readyAnswers, sendAnswers, sendErrors } from './send-answers.ts';

/** Buttons below the rows that send the answers to several requests of an invocation at once. */
export function OpenRequests() {
  const invocations = new Set(openRequests.value.map(({ interrupt }) => interrupt.invocationId));
  return (
    <>
      {[...invocations].map((id) => (
        <Answers key={id} invocationId={id} />
      ))}
    </>
  );
}

function Answers({ invocationId }: { invocationId: string }) {
  const requests = answerableOf(invocationId);
  const error = sendErrors.value.get(invocationId);
  const ready = readyAnswers(invocationId).length;
  if (requests.length <= 1 && ready === 0) return error === undefined ? null : <ErrorNote error={error} />;
  const blocked = isRunning.value;
  const areConfirmations = requests.every(({ interrupt }) => interrupt.kind === 'confirmation');
  function approveAll(): void {
    for (const { interrupt } of requests) {
      const { answer } = draftOf(interrupt.id);
      changeDraft(interrupt.id, { answer: answer ?? { interrupt, value: { confirmed: true }, paths: [] } });
    }
    void sendAnswers(invocationId);
  }
  return (
    <section class="open-requests" aria-label="Open requests">
      <p role="status">
        {ready} of {requests.length} answers ready
      </p>
      <div class="button-row">
        <button
          type="button"
          class="button button-primary"
          disabled={blocked || ready === 0}
          onClick={() => void sendAnswers(invocationId)}
        >
          {ready <= 1 ? 'Send answer' : `Send ${ready} answers`}
        </button>
        {areConfirmations && ready === 0 && (
          <button type="button" class="button" disabled={blocked} onClick={approveAll}>
            Approve all
          </button>
        )}
      </div>
      {error !== undefined && <ErrorNote error={error} />}
    </section>
  );
}
