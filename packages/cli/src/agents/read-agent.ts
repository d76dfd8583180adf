import type { Agent, App } from '@thole/core';
import type { Runner } from '@thole/runner';

/** What an agent's module exports, under the name that it goes by. */
export type ReadAgent = { kind: 'runner'; name: string; runner: Runner } | { kind: 'app'; name: string; app: App };

/** The exports that are looked at, in this order. */
export const EXPORTS = ['runner', 'app', 'rootAgent', 'default'] as const;

/** The agent of a module: its `runner`, `app`, `rootAgent` or default export, whichever is the first that is one. Promises are waited for. */
export async function readAgent(module: unknown, name: string): Promise<ReadAgent | undefined> {
  for (const key of EXPORTS) {
    const value: unknown = await (module as { [key: string]: unknown } | undefined)?.[key];
    // By shape: it comes from another copy of the packages than this one's.
    if (isRunner(value)) return { kind: 'runner', name: value.appName, runner: value };
    if (isApp(value)) return { kind: 'app', name: value.name, app: value };
    if (isAgent(value)) return { kind: 'app', name, app: { name, rootAgent: value } };
    // CommonJS: all exports at once are the default one.
    if (key === 'default' && typeof value === 'object' && value !== null && !('default' in value))
      return readAgent(value, name);
  }
  return undefined;
}

function isRunner(value: unknown): value is Runner {
  const { appName, sessionService, runAsync } = membersOf(value);
  return typeof runAsync === 'function' && typeof appName === 'string' && typeof sessionService === 'object';
}

function isApp(value: unknown): value is App {
  const { name, rootAgent } = membersOf(value);
  return typeof name === 'string' && isAgent(rootAgent);
}

function isAgent(value: unknown): value is Agent {
  const { name, runAsync } = membersOf(value);
  return typeof name === 'string' && typeof runAsync === 'function';
}

function membersOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? (value as { [name: string]: unknown }) : {};
}
