import { ErrorNote } from '../components/ErrorNote.tsx';
import { formatDuration } from '../components/format.ts';
import { ClientError } from '@thole/client';
import { now } from '../state/now.ts';
import { openRun } from '../state/run.ts';
import { events } from '../state/session.ts';

/** The line below the rows: the progress of a run, or its error. */
export function RunFoot() {
  const { state, streaming } = openRun.value;
  return (
    <>
      {state.kind === 'running' && (
        <p class="run-foot muted">
          <span class="run-dot" />
          {state.reconnecting
            ? 'The connection was lost. Reconnecting …'
            : streaming.length > 0
              ? 'Writing …'
              : 'Working …'}
          <span class="num">{formatSeconds(now.value - state.startedAt)}</span>
        </p>
      )}
      {state.kind === 'failed' && !isShown(state.error) && (
        <div class="run-foot">
          <ErrorNote error={state.error} />
        </div>
      )}
    </>
  );
}

/** Returns whole seconds. Empty in the first 1.5 seconds. */
function formatSeconds(ms: number): string {
  return ms < 1_500 ? '' : formatDuration(Math.round(ms / 1_000) * 1_000).replace('.0 s', ' s');
}

/** True if the session's last event records the same error, so that its row shows the error. */
function isShown(error: unknown): boolean {
  const code = ClientError.is(error) ? error.code : undefined;
  return code !== undefined && events.value.at(-1)?.errorCode === code;
}
