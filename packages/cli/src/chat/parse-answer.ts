import { TholeError } from '@thole/core';
import { isPlainObject, parseJson } from '@thole/core/kit';
import type { Interrupt, Json, JsonObject } from '@thole/core';

const YES: ReadonlySet<string> = new Set(['y', 'yes', 'true']);
const NO: ReadonlySet<string> = new Set(['n', 'no', 'false']);

/**
 * Returns the answer in a typed text. A confirmation accepts yes, no or JSON. A credential accepts the address after the sign-in,
 * an API key, a token, or `name:password`. Other requests accept JSON or text. Throws `INVALID_INPUT` for a text that cannot be an answer.
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
      return credentialAnswer(interrupt.payload, text.trim());
    case 'input':
      if (interrupt.responseSchema?.['type'] === 'string') return text;
      return parseJson(text) ?? text;
    default:
      return parseJson(text) ?? text;
  }
}

/** The address to which a sign-in redirects the browser. No program listens there: the user copies the address. */
const REDIRECT_URI = 'http://127.0.0.1';

/** Returns the address that the user opens to sign in. Undefined if the request has none, for example for an API key. */
export function signInAddress(payload: Json | undefined): string | undefined {
  const authUri = memberOf(memberOf(memberOf(payload, 'exchangedAuthCredential'), 'oauth2'), 'authUri');
  if (typeof authUri !== 'string' || !URL.canParse(authUri)) return undefined;
  const address = new URL(authUri);
  if (!address.searchParams.has('redirect_uri')) address.searchParams.set('redirect_uri', REDIRECT_URI);
  return address.href;
}

/** Returns the answer in the address to which the browser was redirected. Without a sign-in, the text is JSON or the credential. */
function credentialAnswer(payload: Json | undefined, text: string): Json {
  const value = parseJson(text);
  if (isPlainObject(value)) return value as Json;
  const address = signInAddress(payload);
  if (address === undefined)
    return { exchangedAuthCredential: enteredCredential(memberOf(payload, 'authScheme'), text) };
  if (!URL.canParse(text))
    throw new TholeError('INVALID_INPUT', 'The answer must be the complete address, with https://.');
  return { authResponseUri: text, redirectUri: new URL(address).searchParams.get('redirect_uri')! };
}

/** Returns an API key; for HTTP authentication a token, or for its scheme `basic` a user name and a password. */
function enteredCredential(authScheme: Json | undefined, text: string): Json {
  if (memberOf(authScheme, 'type') !== 'http') return { authType: 'apiKey', apiKey: text };
  const value = memberOf(authScheme, 'scheme');
  const scheme = typeof value === 'string' ? value : 'bearer';
  if (scheme.toLowerCase() !== 'basic') return { authType: 'http', http: { scheme, credentials: { token: text } } };
  const [, username, password] = /^([^:]+):(.*)$/s.exec(text) ?? [];
  if (username === undefined || password === undefined)
    throw new TholeError('INVALID_INPUT', 'The answer must be a user name and a password: name:password.');
  return { authType: 'http', http: { scheme, credentials: { username, password } } };
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isPlainObject(value) ? (value as JsonObject)[name] : undefined;
}
