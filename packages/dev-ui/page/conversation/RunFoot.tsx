import { ErrorNote } from '../parts/ErrorNote.tsx';
import { formatDuration } from '../parts/format.ts';
import { ClientError } from '@thole/client';
import { now } from '../state/now.ts';
import { openRun } from '../state/run.ts';
import { events } from '../state/session.ts';
import { FileView } from './FileView.tsx';

/** Below the rows: the message that is on its way, that the run goes on, or why it failed. */
export function RunFoot() {
  const { state, sent, streaming } = openRun.value;
  const files = sent?.parts?.filter((part) => part.inlineData ?? part.fileData) ?? [];
  const text = sent?.parts?.flatMap((part) => part.text ?? []).join('\n');
  return (
    <>
      {sent && (text || files.length > 0) && (
        <article class="entry" data-from="user" data-head="" aria-label="You, sending">
          <header class="entry-head">
            <span class="entry-author">You</span>
          </header>
          <div class="entry-blocks">
            {text && (
              <p class="said" dir="auto">
                {text}
              </p>
            )}
            {files.map((part, i) => (
              <FileView key={i} part={part} />
            ))}
          </div>
        </article>
      )}
      {state.kind === 'running' && (
        <p class="run-foot muted">
          <span class="run-dot" />
          {state.reconnecting
            ? 'The connection was cut; taking it up again …'
            : streaming.length > 0
              ? 'Writing …'
              : 'Working …'}
          <span class="num">{seconds(now.value - state.startedAt)}</span>
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

/** The first second needs no counting. */
function seconds(ms: number): string {
  return ms < 1_500 ? '' : formatDuration(Math.round(ms / 1_000) * 1_000).replace('.0 s', ' s');
}

/** Whether the session's last event records the same error: said once is enough. */
function isShown(error: unknown): boolean {
  const code = ClientError.is(error) ? error.code : undefined;
  return code !== undefined && events.value.at(-1)?.errorCode === code;
}
