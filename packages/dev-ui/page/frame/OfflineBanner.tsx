import { baseUrl } from '../state/client.ts';
import { connection } from '../state/connection.ts';
import { now } from '../state/now.ts';
import { nextTry, tryNow } from '../state/reconnect.ts';

/** Shows that the server does not answer, and when the page tries again. */
export function OfflineBanner() {
  if (connection.value !== 'offline') return null;
  const secondsLeft = nextTry.value === undefined ? 0 : Math.max(0, Math.ceil((nextTry.value - now.value) / 1_000));
  return (
    <div class="offline">
      <p role="status">Cannot reach {baseUrl}. Your text is kept.</p>
      <span class="num">{secondsLeft > 0 ? `trying again in ${secondsLeft} s` : 'trying …'}</span>
      <button type="button" class="button" onClick={() => void tryNow()}>
        Try now
      </button>
    </div>
  );
}
