import { ClientError } from './client-error.ts';
import { errorDebugIn } from './error-debug.ts';

const RETRYABLE = [408, 429, 502, 503, 504];

/** The error that an answer tells: the server's sentence where there is one, else (a proxy's page) one with its status. */
export async function errorOf(path: string, response: Response, now: number): Promise<ClientError> {
  const { status } = response;
  let told: { detail?: unknown; code?: unknown; retryable?: unknown } | null | undefined;
  try {
    told = (await response.json()) as typeof told;
  } catch {
    // No JSON.
  }
  const detail = told?.detail;
  const code = told?.code;
  return new ClientError(typeof detail === 'string' ? detail : `The server answered ${status} to ${path}.`, {
    status,
    code: typeof code === 'string' ? code : undefined,
    retryable: typeof told?.retryable === 'boolean' ? told.retryable : RETRYABLE.includes(status),
    debug: errorDebugIn(told),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
  });
}

// Seconds, or a date.
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (!header) return undefined;
  const seconds = /^\s*\d/.test(header) ? Number(header) : Date.parse(header) / 1000 - now;
  return Number.isFinite(seconds) ? Math.max(0, Math.round(seconds * 1000)) : undefined;
}
