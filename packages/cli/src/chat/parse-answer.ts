import { TholeError } from '@thole/core';
import { isPlainObject } from '@thole/core/kit';
import type { Interrupt, Json, JsonObject } from '@thole/core';

const YES: ReadonlySet<string> = new Set(['y', 'yes', 'true']);
const NO: ReadonlySet<string> = new Set(['n', 'no', 'false']);

/**
 * Returns the answer that a typed text means: yes, no or JSON for a confirmation, the address of the sign-in's response for a
 * credential, otherwise JSON or text. Throws `INVALID_INPUT` for a text that cannot be an answer.
 */
export function parseAnswer(interrupt: Pick<Interrupt, 'kind' | 'responseSchema' | 'payload'>, text: string): Json {
  const word = text.trim().toLowerCase();
  switch (interrupt.kind) {
    case 'confirmation': {
      if (YES.has(word)) return true;
      if (NO.has(word)) return false;
      const value = parseJson(text);
      if (isPlainObject(value)) return value as Json;
      throw new TholeError('INVALID_INPUT', 'The answer must be yes or no, or JSON such as {"confirmed": true}.');
    }
    case 'credential':
      return withResponseUri(interrupt.payload, text.trim());
    case 'input':
      if (interrupt.responseSchema?.['type'] === 'string') return text;
      return parseJson(text) ?? text;
    default:
      return parseJson(text) ?? text;
  }
}

/** Returns the parsed JSON. Undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the address that the user opens to sign in. Undefined if the request has none. */
export function signInAddress(payload: Json | undefined): string | undefined {
  const address = oauth2Of(payload)['authUri'];
  return typeof address === 'string' ? address : undefined;
}

function withResponseUri(payload: Json | undefined, authResponseUri: string): Json {
  if (!isPlainObject(payload)) return { authResponseUri };
  const config = payload as JsonObject;
  const credential = (config['exchangedAuthCredential'] ?? {}) as JsonObject;
  return { ...config, exchangedAuthCredential: { ...credential, oauth2: { ...oauth2Of(payload), authResponseUri } } };
}

function oauth2Of(payload: Json | undefined): JsonObject {
  const credential = isPlainObject(payload) ? (payload as JsonObject)['exchangedAuthCredential'] : undefined;
  const oauth2 = isPlainObject(credential) ? (credential as JsonObject)['oauth2'] : undefined;
  return isPlainObject(oauth2) ? (oauth2 as JsonObject) : {};
}
