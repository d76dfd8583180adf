import { ClientError } from '@thole/client';
import type { ErrorDebug } from '@thole/client';
import { errorCodes } from '@thole/core';
import type { Event } from '@thole/core';

/** An explained error. */
export interface Explained {
  sentence: string;
  code?: string | undefined;
  /** The meaning of the code, if it is known. */
  meaning?: string | undefined;
  /** The next step. */
  advice?: string | undefined;
  /** Internals, only from a server in development. */
  debug?: ErrorDebug | undefined;
}

/** Returns the explanation of a client error or any other thrown value. */
export function explainError(error: unknown): Explained {
  if (ClientError.is(error)) {
    const code = error.code ?? (error.status !== undefined ? `HTTP ${error.status}` : undefined);
    return {
      sentence: error.detail,
      code,
      meaning: meaningOf(error.code),
      advice: adviceFor(error.code, error.retryable),
      debug: error.debug,
    };
  }
  const sentence = error instanceof Error ? error.message : String(error);
  return { sentence: sentence || 'Something went wrong.' };
}

/** Returns the explanation of an event's error. */
export function explainEventError(event: Pick<Event, 'errorCode' | 'errorMessage'>): Explained {
  const code = event.errorCode;
  const meaning = meaningOf(code);
  return {
    sentence: event.errorMessage ?? meaning ?? 'The run failed.',
    code,
    meaning,
    advice: adviceFor(code, isRetryable(code)),
  };
}

const advices: Record<string, string> = {
  TIMEOUT: 'The server is there, but slow; try again.',
  UNREACHABLE: 'See whether the server is running; this page tries again by itself.',
  CONNECTION_LOST: 'What the run stored is in the session.',
  UNAUTHENTICATED: 'Enter the token that this server expects.',
  FORBIDDEN: 'The token is known, but may not act for this user. Switch the user, or use another token.',
  MODEL_FAILED: 'The server’s log has the cause; the Request tab shows what was sent.',
  MODEL_AUTH: 'Look at the API key in the server’s environment.',
  MODEL_RATE_LIMITED: 'Wait a little, then try again.',
  MODEL_UNKNOWN: 'Look at the model’s name and at the factories that the runner is given.',
  MODEL_CONTEXT_TOO_LONG: 'Begin a new session, or give the app compaction.',
  MODEL_BAD_REQUEST: 'The Request tab shows what was sent.',
  SESSION_BUSY: 'Wait until the other run has ended, or stop it.',
  RUN_TIME_LIMIT: 'Raise `timeLimitMs`, or see in the timeline what took so long.',
  LLM_CALL_LIMIT: 'See in the timeline which agent goes round in circles.',
  STATE_KEY_MISSING: 'Set the key in the State tab, or write `{key?}` in the instruction.',
  MEMORY_NOT_CONFIGURED: 'Give the server a memory service.',
  ARTIFACT_NOT_CONFIGURED: 'Give the server an artifact service.',
};

function meaningOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes].docs : undefined;
}

function isRetryable(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(errorCodes, code) && errorCodes[code as keyof typeof errorCodes].retryable;
}

function adviceFor(code: string | undefined, retryable: boolean): string | undefined {
  if (code !== undefined && Object.hasOwn(advices, code)) return advices[code];
  return retryable ? 'The same may succeed later.' : undefined;
}
