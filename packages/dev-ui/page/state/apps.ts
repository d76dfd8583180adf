import { effect, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { AppInfo } from '@thole/client';
import { client } from './client.ts';
import { reconnects } from './connection.ts';
import { appName, go } from './location.ts';
import { readStored, writeStored } from './stored.ts';

/** The apps of the server. Undefined before they are read. */
export const apps: Signal<readonly AppInfo[] | undefined> = signal<readonly AppInfo[] | undefined>(undefined);
export const appsError: Signal<unknown> = signal<unknown>(undefined);

/** Returns the open app's info. */
export function openApp(): AppInfo | undefined {
  return apps.value?.find((each) => each.name === appName.value);
}

/** Reads the apps. If the address names no app, opens the app that was open last. */
export function followApps(): void {
  effect(() => {
    void reconnects.value;
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
