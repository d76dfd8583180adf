import { signal } from '@preact/signals';
import type { ReadonlySignal, Signal } from '@preact/signals';
import { readStored, writeStored } from './stored.ts';

/** `open`: the server answers; `needed`: it asks for a token; `refused`: it rejects the given token. */
export type Access = 'open' | 'needed' | 'refused';

const current: Signal<Access> = signal<Access>('open');

/** Set from the server's answers. */
export const access: ReadonlySignal<Access> = current;

// Two servers may share one origin under different paths.
const NAME = `token:${location.pathname}`;

/** The token sent with each request, kept until the tab is closed. */
export const accessToken: Signal<string | undefined> = signal(readStored(NAME, 'tab'));

/** Sends this token from now on. */
export function setAccessToken(token: string): void {
  accessToken.value = token;
  writeStored(NAME, token, 'tab');
}

/** Removes the token and everything that was read with it: reloads the page. */
export function forgetAccessToken(): void {
  writeStored(NAME, undefined, 'tab');
  location.reload();
}

/** Returns the headers with the token. */
export function accessHeaders(): { [name: string]: string } {
  return accessToken.peek() === undefined ? {} : { authorization: `Bearer ${accessToken.peek()}` };
}

/** Reads from a response whether the server accepts the page. `/health` and `/version` are open to everyone. */
export function noteAccess(path: string, status: number, shown: string | undefined): void {
  // A response to a request with an older token says nothing about this one.
  if (shown !== accessToken.peek() || /\/(health|version)$/.test(path)) return;
  if (status === 401) current.value = shown === undefined ? 'needed' : 'refused';
  else if (status < 500) current.value = 'open';
}
