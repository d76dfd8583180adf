import type { Json, JsonObject } from '@thole/core';
import { pageAddress } from '../state/client.ts';
import { objectOf } from './request-state.ts';

/** A form for a sign-in. */
export interface SignInForm {
  /** Address of the authorization server. Undefined if the user enters the credential. */
  address?: string | undefined;
  /** Address at which the sign-in ends. */
  redirectUri?: string | undefined;
  fields: readonly { name: string; label: string; isSecret: boolean }[];
}

/** Returns the form for the auth config of a request. */
export function readSignIn(config: Json | undefined): SignInForm {
  const address = addressOf(config);
  if (address) {
    const fields = [{ name: 'address', label: 'Address of the window', isSecret: false }];
    return { address: address.href, redirectUri: address.searchParams.get('redirect_uri')!, fields };
  }
  const { type, scheme } = schemeOf(config);
  if (type === 'http' && scheme === 'basic') {
    const password = { name: 'password', label: 'Password', isSecret: true };
    return { fields: [{ name: 'username', label: 'User name', isSecret: false }, password] };
  }
  if (type === 'http') return { fields: [{ name: 'token', label: 'Token', isSecret: true }] };
  return { fields: [{ name: 'apiKey', label: 'API key', isSecret: true }] };
}

/** Returns the `state` of a sign-in, which identifies its redirect. */
export function signInState(config: Json | undefined): string | undefined {
  return addressOf(config)?.searchParams.get('state') ?? undefined;
}

/** Returns the answer with the address at which the sign-in ended. */
export function redirectAnswer(config: Json | undefined, authResponseUri: string): JsonObject {
  const { authType, oauth2 } = credentialOf(config);
  const redirectUri = addressOf(config)?.searchParams.get('redirect_uri') ?? '';
  const exchanged = { authType: authType ?? 'oauth2', oauth2: { ...objectOf(oauth2), redirectUri, authResponseUri } };
  return { ...objectOf(config), exchangedAuthCredential: exchanged };
}

/** Returns the answer with a credential that the user entered. */
export function enteredCredential(config: Json | undefined, entered: JsonObject): JsonObject {
  const { type, scheme } = schemeOf(config);
  const credential: JsonObject =
    type === 'http'
      ? { authType: 'http', http: { scheme: scheme ?? 'bearer', credentials: entered } }
      : { authType: 'apiKey', ...entered };
  return { ...objectOf(config), exchangedAuthCredential: credential };
}

/** Returns the address of the authorization server. If it has no redirect address, adds the address of this page. */
function addressOf(config: Json | undefined): URL | undefined {
  const { oauth2 } = credentialOf(config);
  const given = objectOf(oauth2)?.['authUri'] ?? objectOf(oauth2)?.['auth_uri'];
  const url = typeof given === 'string' ? URL.parse(given) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (!url.searchParams.has('redirect_uri')) url.searchParams.set('redirect_uri', pageAddress);
  return url;
}

function credentialOf(config: Json | undefined): JsonObject {
  const members = objectOf(config) ?? {};
  return objectOf(members['exchangedAuthCredential'] ?? members['exchanged_auth_credential']) ?? {};
}

function schemeOf(config: Json | undefined): { type: string | undefined; scheme: string | undefined } {
  const members = objectOf(config) ?? {};
  const { type, scheme } = objectOf(members['authScheme'] ?? members['auth_scheme']) ?? {};
  return {
    type: typeof type === 'string' ? type : undefined,
    scheme: typeof scheme === 'string' ? scheme.toLowerCase() : undefined,
  };
}
