import { formatCount } from '../../components/format.ts';
import type { Origin, RequestPart } from './request-part.ts';

/** Label of each origin. */
export const originNames: Record<Origin, string> = {
  instruction: 'instruction',
  memory: 'memory',
  history: 'history',
  tool: 'tools',
  message: 'this message',
  settings: 'settings',
};

/** The share of each origin in a request, as a bar and in numbers. */
export function TokenBar({ parts }: { parts: readonly RequestPart[] }) {
  const sums = new Map<Origin, number>();
  for (const { origin, tokens = 0 } of parts) sums.set(origin, (sums.get(origin) ?? 0) + tokens);
  const shown = [...sums].filter(([, tokens]) => tokens > 0);
  return (
    <div class="token-bar">
      <div class="token-track" aria-hidden="true">
        {shown.map(([origin, tokens]) => (
          <span key={origin} data-origin={origin} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <ul aria-label="Estimated tokens by origin">
        {shown.map(([origin, tokens]) => (
          <li key={origin}>
            <span class="origin-dot" data-origin={origin} /> {originNames[origin]}{' '}
            <span class="num muted">≈ {formatCount(tokens)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
