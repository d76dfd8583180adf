import { DebugDetails } from './DebugDetails.tsx';
import { explainError } from './explain-error.ts';
import { Icon } from './icons.tsx';

/** An error: its message, its code, the meaning of the code, and the next step. */
export function ErrorNote(props: {
  error: unknown;
  retry?: (() => void) | undefined;
  retryLabel?: string | undefined;
}) {
  const { sentence, code, meaning, advice, debug } = explainError(props.error);
  return (
    <div class="error-note" role="alert">
      <Icon name="warn" />
      <div>
        <p>{sentence}</p>
        {(meaning ?? advice) && (
          <p class="muted">
            {meaning && meaning !== sentence && <>{meaning} </>}
            {advice}
          </p>
        )}
        {debug && <DebugDetails debug={debug} />}
        <p class="error-foot">
          {code && <code class="mono">{code}</code>}
          {props.retry && (
            <button type="button" class="button" onClick={props.retry}>
              {props.retryLabel ?? 'Try again'}
            </button>
          )}
        </p>
      </div>
    </div>
  );
}
