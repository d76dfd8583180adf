import type { ComponentChildren } from 'preact';
import { Empty } from '../components/Empty.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { Skeleton } from '../components/Skeleton.tsx';
import { apps, appsError, loadApps, openApp } from '../state/apps.ts';
import { TokenForm } from '../frame/TokenForm.tsx';
import { access } from '../state/access-token.ts';
import { connection } from '../state/connection.ts';
import { draft, draftKey, returnToDraft, writeDraft } from '../state/drafts.ts';
import { appName, go } from '../state/location.ts';
import { openRun } from '../state/run.ts';
import { loadSession } from '../state/session-actions.ts';
import { status } from '../state/session.ts';
import { Composer } from './Composer.tsx';
import { EntryList } from './EntryList.tsx';
import { entries } from './projection.ts';
import { RemovalDialog } from './RemovalDialog.tsx';
import { Suggestions } from './Suggestions.tsx';
import './conversation.css';

/** The conversation of the open session, and the message box. */
export function Conversation() {
  return (
    <div class="conversation">
      <Body />
      <Composer />
      <RemovalDialog />
    </div>
  );
}

/** Opens a new session, and takes the text that was not sent from the missing session. */
function leaveMissing(): void {
  const unsent = draft.peek();
  writeDraft({ text: '', files: [] });
  go({ session: undefined, event: undefined });
  returnToDraft(unsent, draftKey.peek());
}

/** A message instead of the conversation. */
function Notice({ children }: { children: ComponentChildren }) {
  return <div class="conversation-body conversation-middle">{children}</div>;
}

function Body() {
  const { kind } = status.value;
  const { sent, state } = openRun.value;
  if (access.value !== 'open') {
    return (
      <Notice>
        <TokenForm />
      </Notice>
    );
  }
  if (apps.value === undefined && appsError.value !== undefined && kind !== 'ready') {
    return (
      <Notice>
        {connection.value === 'offline' ? (
          <Empty title="The server does not answer" text="Start the server. The page reconnects automatically." />
        ) : (
          <ErrorNote error={appsError.value} retry={() => void loadApps()} />
        )}
      </Notice>
    );
  }
  if (apps.value?.length === 0) {
    return (
      <Notice>
        <Empty title="No apps yet" text="Pass an app to createHandler, then reload this page." />
      </Notice>
    );
  }
  if (apps.value && appName.value !== undefined && !openApp() && kind !== 'ready') {
    return (
      <Notice>
        <Empty title="App not found" text={`The server has no app “${appName.value}”. Open another app in the menu.`} />
      </Notice>
    );
  }
  if (kind === 'loading' || (kind === 'none' && apps.value === undefined)) {
    return (
      <div class="conversation-body conversation-loading">
        <Skeleton lines={7} />
      </div>
    );
  }
  if (status.value.kind === 'failed') {
    return (
      <Notice>
        <ErrorNote error={status.value.error} retry={() => void loadSession()} />
      </Notice>
    );
  }
  if (kind === 'missing') {
    return (
      <Notice>
        <Empty title="Session not found" text="It was deleted, or it belongs to another user or app.">
          <button type="button" class="button" onClick={leaveMissing}>
            New session
          </button>
        </Empty>
      </Notice>
    );
  }
  if (entries.value.length === 0 && sent.length === 0 && state.kind !== 'running') return <Suggestions />;
  return <EntryList />;
}
