import { ignoreDroppedFiles } from '../conversation/ignore-dropped-files.ts';
import { followApps } from '../state/apps.ts';
import { followDrafts } from '../state/drafts.ts';
import { startClock } from '../state/now.ts';
import { startReconnecting } from '../state/reconnect.ts';
import { startRefreshingOnReturn } from '../state/refresh-on-return.ts';
import { resumeRun } from '../state/run-actions.ts';
import { followSession } from '../state/session-actions.ts';
import { followSessions } from '../state/sessions.ts';
import { applyTheme } from '../state/theme.ts';
import { followSignIns } from '../requests/follow-sign-ins.ts';
import { bindKeys } from '../keys/bind-keys.ts';
import { registerCommands } from '../keys/register-commands.ts';
import { followTitle } from './follow-title.ts';

/** Starts everything that runs while the page is open. */
export function start(): void {
  applyTheme();
  registerCommands();
  bindKeys();
  ignoreDroppedFiles();
  startReconnecting();
  startRefreshingOnReturn();
  startClock();
  followApps();
  followDrafts();
  followSessions();
  followSession(resumeRun);
  followSignIns();
  followTitle();
}
