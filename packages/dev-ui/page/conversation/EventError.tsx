import type { Event } from '@thole/core';
import { DebugDetails } from '../components/DebugDetails.tsx';
import { explainError, explainEventError } from '../components/explain-error.ts';
import { Icon } from '../components/icons.tsx';
import { run } from '../state/run.ts';
import { events } from '../state/session.ts';

/** The error of an event: its message, its code, and the next step. */
export function EventError({ event }: { event: Event }) {
  const { sentence, code, meaning, advice } = explainEventError(event);
  const debug = debugOf(event);
  return (
    <div class="error-note">
      <Icon name="warn" />
      <div>
        <p>{sentence}</p>
        {(meaning ?? advice) && (
          <p class="muted">
            {meaning !== sentence && meaning} {advice}
          </p>
        )}
        {debug && <DebugDetails debug={debug} />}
        <p class="error-foot">
          <code class="mono">{code}</code>
        </p>
      </div>
    </div>
  );
}

/** Returns the internals of the error if this page has read the failed run. The event does not contain them. */
function debugOf(event: Event) {
  const state = run.value;
  if (state.kind !== 'failed' || events.value.at(-1) !== event) return undefined;
  const { code, debug } = explainError(state.error);
  return code === event.errorCode ? debug : undefined;
}
