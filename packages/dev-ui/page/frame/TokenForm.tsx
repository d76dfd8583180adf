import { useEffect, useRef, useState } from 'preact/hooks';
import { focusIfLost } from '../components/focus-if-lost.ts';
import { isWriting } from '../components/is-writing.ts';
import { access, setAccessToken } from '../state/access-token.ts';
import { reloadData } from '../state/connection.ts';
import { forgetRefusedRuns } from '../state/run.ts';
import { isTouch } from '../state/screen.ts';

/** A form for the token that the server requires. */
export function TokenForm() {
  const [token, setToken] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const isRefused = access.value === 'refused';
  useEffect(() => {
    // The user may be writing a message.
    if (!isWriting()) field.current?.focus();
    return () => {
      forgetRefusedRuns();
      if (!isTouch.peek()) focusIfLost(() => document.getElementById('message'));
    };
  }, []);
  function submit(submitted: SubmitEvent): void {
    submitted.preventDefault();
    if (token.trim() === '') return field.current?.focus();
    setAccessToken(token.trim());
    reloadData();
  }
  return (
    <form class="token-form" onSubmit={submit} aria-label="Access token">
      <h2>This server requires a token</h2>
      <p class="muted">
        It answered 401: a request must show who sends it. Enter the token that the server was started with. The page
        keeps it until this tab is closed, and sends it to this server only.
      </p>
      <label for="access-token">Token</label>
      <div class="token-line">
        <input
          ref={field}
          id="access-token"
          class="field"
          type="password"
          autoComplete="off"
          spellcheck={false}
          value={token}
          aria-invalid={isRefused}
          aria-describedby="token-problem"
          onInput={(input) => setToken(input.currentTarget.value)}
        />
        <button type="submit" class="button button-primary">
          Use token
        </button>
      </div>
      <p id="token-problem" class="field-problem" role="alert">
        {isRefused && 'The server does not accept this token. Check it, and enter it again.'}
      </p>
    </form>
  );
}
