import type { Event } from '@thole/core';
import { explainEventError } from '../parts/explain-error.ts';
import { Icon } from '../parts/icons.tsx';

/** The error that an event records: what happened, and what to do. */
export function EventError({ event }: { event: Event }) {
  const { sentence, code, meaning, advice } = explainEventError(event);
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
        <p class="error-foot">
          <code class="mono">{code}</code>
        </p>
      </div>
    </div>
  );
}
