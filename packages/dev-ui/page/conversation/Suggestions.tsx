import { openApp } from '../state/apps.ts';
import { run } from '../state/run.ts';
import { sendMessage } from '../state/send-message.ts';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { Icon } from '../components/icons.tsx';
import { suggestionsFor } from './suggestions-for.ts';

/** An empty session: the agent, and the app's suggestions. */
export function Suggestions() {
  const app = openApp();
  const suggestions = suggestionsFor(app);
  return (
    <div class="conversation-body conversation-middle">
      <div class="suggestions">
        <h2>{app?.rootAgentName ?? app?.name ?? 'Agent'}</h2>
        {app?.description && <p class="muted">{app.description}</p>}
        {suggestions.length === 0 ? (
          <p class="muted">Write a message to start.</p>
        ) : (
          <ul aria-label="Suggested questions">
            {suggestions.map((text) => (
              <li key={text}>
                <button type="button" class="suggestion" onClick={() => void sendMessage({ text, files: [] })}>
                  <span>{text}</span>
                  <Icon name="up" />
                </button>
              </li>
            ))}
          </ul>
        )}
        {run.value.kind === 'failed' && <ErrorNote error={run.value.error} />}
      </div>
    </div>
  );
}
