import { ClientError } from '@thole/client';
import type { ErrorDebug } from '@thole/client';
import { errorCodes } from '@thole/core';
import type { Event } from '@thole/core';

/** The explanation of an error. */
export interface ErrorExplanation {
  sentence: string;
  code?: string | undefined;
  /** The meaning of the code, if it is known. */
  meaning?: string | undefined;
  /** The next step, if there is one. */
  advice?: string | undefined;
  /** Internals, only from a server in development. */
  debug?: ErrorDebug | undefined;
}

/** Returns the explanation of a client error or any other thrown value. */
export function explainError(error: unknown): ErrorExplanation {
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
  return { sentence: sentence || 'An unknown error occurred.' };
}

/** Returns the explanation of an event's error. */
export function explainEventError(event: Pick<Event, 'errorCode' | 'errorMessage'>): ErrorExplanation {
  const code = event.errorCode;
  const meaning = meaningOf(code);
  return {
    sentence: event.errorMessage ?? meaning ?? 'The run failed.',
    code,
    meaning,
    advice: adviceFor(code, isRetryable(code)),
  };
}

const adviceByCode: Record<string, string> = {
  TIMEOUT: 'The server did not answer in time. Try again.',
  UNREACHABLE: 'Check that the server is running. The page reconnects automatically.',
  CONNECTION_LOST: 'The session contains the events that were stored.',
  UNAUTHENTICATED: 'Enter the token that this server expects.',
  FORBIDDEN: 'Switch the user, use another token, or allow the request in the options of the server.',
  MODEL_FAILED: 'The server’s log contains the cause. The Request tab shows the request.',
  MODEL_AUTH: 'Check the API key in the server’s environment.',
  MODEL_RATE_LIMITED: 'Wait a moment, then try again.',
  MODEL_UNKNOWN: 'Check the model’s name and the `models` of the runner.',
  MODEL_CONTEXT_TOO_LONG: 'Start a new session, or configure compaction for the app.',
  MODEL_BAD_REQUEST: 'The Request tab shows the request.',
  SESSION_BUSY: 'Wait until the other run has ended, or stop it.',
  RUN_TIME_LIMIT: 'Increase `timeLimitMs`. The timeline shows which step was slow.',
  LLM_CALL_LIMIT: 'The timeline shows which agent repeats its calls.',
  STATE_KEY_MISSING: 'Set the key in the State tab, or write `{key?}` in the instruction.',
  MEMORY_NOT_CONFIGURED: 'Configure a memory service for the server.',
  ARTIFACT_NOT_CONFIGURED: 'Configure an artifact service for the server.',
};

function meaningOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes].docs : undefined;
}

function isRetryable(code: string | undefined): boolean {
  return code !== undefined && Object.hasOwn(errorCodes, code) && errorCodes[code as keyof typeof errorCodes].retryable;
}

function adviceFor(code: string | undefined, retryable: boolean): string | undefined {
  if (code !== undefined && Object.hasOwn(adviceByCode, code)) return adviceByCode[code];
  return retryable ? 'A retry may succeed.' : undefined;
}
