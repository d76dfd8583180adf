import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** `open`: the server accepts requests; `needed`: it requires a token; `refused`: it rejects the given token. */
export type Access = 'open' | 'needed' | 'refused';

const current: Signal<Access> = signal<Access>('open');

/** The access according to the newest response. */
export const access: ReadonlySignal<Access> = current;

// Two servers may share one origin under different paths.
const NAME = `token:${location.pathname}`;

/** The token sent with each request, kept until the tab is closed. */
export const accessToken: Signal<string | undefined> = signal(readStored(NAME, 'tab'));

/** Stores the token and sends it with all later requests. */
export function setAccessToken(token: string): void {
  accessToken.value = token;
  writeStored(NAME, token, 'tab');
}

/** Removes the token and reloads the page, so that data that was read with the token is removed, too. */
export function forgetAccessToken(): void {
  writeStored(NAME, undefined, 'tab');
  location.reload();
}

/** Returns the headers with the token. */
export function accessHeaders(): { [name: string]: string } {
  return accessToken.peek() === undefined ? {} : { authorization: `Bearer ${accessToken.peek()}` };
}

/** Updates `access` after a response. Ignores `/health` and `/version`, which need no token. */
export function updateAccess(path: string, status: number, sentToken: string | undefined): void {
  // The response belongs to a request with an older token.
  if (sentToken !== accessToken.peek() || /\/(health|version)$/.test(path)) return;
  if (status === 401) current.value = sentToken === undefined ? 'needed' : 'refused';
  else if (status < 500) current.value = 'open';
}
