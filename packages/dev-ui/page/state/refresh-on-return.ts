import { elapsedMs } from './clock.ts';
import { refreshSessionAndRun } from './session-actions.ts';
import { refreshSessions } from './sessions.ts';

/** A browser may report a return twice: the tab becomes visible, and its window gets the focus. */
const MIN_INTERVAL_MS = 500;

/**
 * Reads the open session, its active run and the list again when the user returns to the page: other tabs and clients may have
 * written.
 */
export function startRefreshingOnReturn(): void {
  let lastAt = -Infinity;
  const refresh = (): void => {
    if (document.visibilityState !== 'visible' || elapsedMs() - lastAt < MIN_INTERVAL_MS) return;
    lastAt = elapsedMs();
    void refreshSessionAndRun();
    void refreshSessions();
  };
  document.addEventListener('visibilitychange', refresh);
  addEventListener('focus', refresh);
}
