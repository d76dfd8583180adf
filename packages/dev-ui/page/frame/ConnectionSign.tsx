import { connection } from '../state/connection.ts';

const words = { connected: 'connected', connecting: 'connecting', offline: 'offline' } as const;

/** Shows whether the server answers. */
export function ConnectionSign() {
  const state = connection.value;
  return (
    <span class="connection" data-state={state} role="status" aria-label={`Server: ${words[state]}`}>
      <span class="connection-dot" />
      <span class="connection-word">{words[state]}</span>
    </span>
  );
}
