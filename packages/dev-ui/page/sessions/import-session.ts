import { explainError } from '../components/explain-error.ts';
import { client } from '../state/client.ts';
import { draftKey } from '../state/drafts.ts';
import { appName, go, userId } from '../state/location.ts';
import { sessionsOpen } from '../state/screen.ts';
import { refreshSessions } from '../state/sessions.ts';
import { toast } from '../state/toast.ts';
import { readSessionFile } from './read-session-file.ts';

/** Opens a file dialog and creates a session from the file. */
export function importSession(): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', accept: '.json,application/json' });
  input.onchange = () => void read(input.files?.[0]);
  input.click();
}

async function read(file: File | undefined): Promise<void> {
  const app = appName.peek();
  if (!file || app === undefined) return;
  const viewBefore = draftKey.peek();
  try {
    const session = await client.sessions.create({
      appName: app,
      userId: userId.peek(),
      ...readSessionFile(await file.text()),
    });
    // The user may have opened another session, app or user meanwhile.
    if (draftKey.peek() === viewBefore) {
      sessionsOpen.value = false;
      go({ session: session.id, event: undefined });
    }
    await refreshSessions();
    const count = session.events.length;
    toast(`Imported with ${count === 1 ? '1 event' : `${count} events`}.`);
  } catch (error) {
    toast(`Not imported. ${explainError(error).sentence}`, { kind: 'bad' });
  }
}
