import { holdToast, releaseToast, toasts, undoToast } from '../state/toast.ts';

/** Messages at the bottom that disappear after a few seconds, unless the user points at them or their button has the focus. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((each) => (
        <div
          key={each.id}
          class="toast"
          data-kind={each.kind}
          onMouseEnter={() => holdToast(each)}
          onMouseLeave={(leave) => {
            if (!leave.currentTarget.contains(document.activeElement)) releaseToast(each);
          }}
          onFocusIn={() => holdToast(each)}
          onFocusOut={(out) => {
            if (!out.currentTarget.matches(':hover')) releaseToast(each);
          }}
        >
          <span>{each.text}</span>
          {each.undo && (
            <button type="button" class="button" onClick={() => undoToast(each)}>
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
