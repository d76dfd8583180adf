import { removeToast, toasts } from '../state/toast.ts';

/** Messages at the bottom that disappear after a few seconds. */
export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((each) => (
        <div key={each.id} class="toast" data-kind={each.kind}>
          <span>{each.text}</span>
          {each.undo && (
            <button
              type="button"
              class="button"
              onClick={() => {
                each.undo?.();
                removeToast(each.id);
              }}
            >
              Undo
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
