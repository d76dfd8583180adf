import type { SessionSummary } from '@thole/core';
import { useEffect, useRef, useState } from 'preact/hooks';
import { client } from '../state/client.ts';
import { isComposing } from '../keys/is-composing.ts';
import { refreshSession } from '../state/session-actions.ts';
import { refreshSessions } from '../state/sessions.ts';
import { displayNameOf } from '../state/title-of.ts';
import { toast } from '../state/toast.ts';
import { explainError } from '../components/explain-error.ts';

interface Props {
  session: SessionSummary;
  /** `hadFocus` is true if the field has the focus, which is lost when the field is removed. */
  close: (hadFocus: boolean) => void;
}

/** A field to rename a session: Enter saves, Escape cancels. */
export function RenameField({ session, close }: Props) {
  const before = displayNameOf(session) ?? '';
  const [name, setName] = useState(before);
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => field.current?.select(), []);
  async function rename(): Promise<void> {
    // After Enter, the loss of focus must not rename a second time.
    if (isDone.current) return;
    isDone.current = true;
    const displayName = name.trim();
    if (displayName !== '' && displayName !== before) {
      try {
        await client.sessions.rename({
          appName: session.appName,
          userId: session.userId,
          sessionId: session.id,
          displayName,
        });
        await Promise.all([refreshSessions(), refreshSession()]);
      } catch (error) {
        toast(`Not renamed. ${explainError(error).sentence}`, { kind: 'bad' });
        // The name is kept for another attempt.
        isDone.current = false;
        return;
      }
    }
    end();
  }
  function end(): void {
    close(document.activeElement === field.current);
  }
  return (
    <input
      ref={field}
      class="field rename-field"
      aria-label="Name of the session"
      maxLength={200}
      value={name}
      onInput={(input) => setName(input.currentTarget.value)}
      onBlur={() => void rename()}
      onKeyDown={(key) => {
        if (key.key === 'Enter' && !isComposing(key)) void rename();
        if (key.key === 'Escape') {
          key.stopPropagation();
          isDone.current = true;
          end();
        }
      }}
    />
  );
}
