import type { ErrorDebug } from '@thole/client';

/** Internals of a server error in development: the message with its causes, and the collapsed stack. */
export function DebugDetails({ debug }: { debug: ErrorDebug }) {
  return (
    <div class="debug-details">
      <p class="mono">{debug.message}</p>
      {debug.causes.map((cause, i) => (
        <p key={i} class="mono">
          Caused by: {cause}
        </p>
      ))}
      {debug.stack !== undefined && (
        <details>
          <summary>Stack</summary>
          {/* Scrolls horizontally, so it needs keyboard focus. */}
          <pre class="mono" tabIndex={0} aria-label="Stack">
            {debug.stack}
          </pre>
        </details>
      )}
    </div>
  );
}
