import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** `open`: the server answers; `needed`: it asks for a token; `refused`: it does not accept the one it was shown. */
export type Access = 'open' | 'needed' | 'refused';

const current: Signal<Access> = signal<Access>('open');

/** Set by the answers of the server. */
export const access: ReadonlySignal<Access> = current;

// Two servers may share one origin under different paths.
const NAME = `token:${location.pathname}`;

/** The token that is sent with each request, kept until the tab is closed. */
export const accessToken: Signal<string | undefined> = signal(readStored(NAME, 'tab'));

/** Sends this token from now on. */
export function setAccessToken(token: string): void {
  accessToken.value = token;
  writeStored(NAME, token, 'tab');
}

/** Forgets the token, and everything that was read with it: the page is loaded again. */
export function forgetAccessToken(): void {
  writeStored(NAME, undefined, 'tab');
  location.reload();
}

/** The headers that show the token. */
export function accessHeaders(): { [name: string]: string } {
  return accessToken.peek() === undefined ? {} : { authorization: `Bearer ${accessToken.peek()}` };
}

/** Reads from an answer whether the server lets the page in. `/health` and `/version` are open to everyone. */
export function noteAccess(path: string, status: number, shown: string | undefined): void {
  // An answer to a request with an older token tells nothing about this one.
  if (shown !== accessToken.peek() || /\/(health|version)$/.test(path)) return;
  if (status === 401) current.value = shown === undefined ? 'needed' : 'refused';
  else if (status < 500) current.value = 'open';
}
