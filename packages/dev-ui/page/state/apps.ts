import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { AppInfo } from '@thole/client';
import { client } from './client.ts';
import { returns } from './connection.ts';
import { appName, go } from './location.ts';
import { readStored, writeStored } from './stored.ts';

/** The apps of the server; undefined before they are known. */
export const apps: Signal<readonly AppInfo[] | undefined> = signal<readonly AppInfo[] | undefined>(undefined);
export const appsError: Signal<unknown> = signal<unknown>(undefined);

/** What is known of the open app. */
export function openApp(): AppInfo | undefined {
  return apps.value?.find((each) => each.name === appName.value);
}

/** Reads the apps, and opens the one that was open last where the address names none. */
export function followApps(): void {
  effect(() => {
    void returns.value;
    void loadApps();
  });
  effect(() => {
    if (appName.value !== undefined) return writeStored('app', appName.value);
    const known = apps.value;
    if (!known?.length) return;
    const last = readStored('app');
    go({ app: (known.find((each) => each.name === last) ?? known[0]!).name }, { replace: true });
  });
}

export async function loadApps(): Promise<void> {
  try {
    apps.value = await client.apps.listDetailed();
    appsError.value = undefined;
  } catch (error) {
    appsError.value = error;
  }
}
