import { typeName } from '@thole/core/kit';
import type { Agent, App } from '@thole/core';
import type { Runner } from '@thole/runner';

/** The agent that a module exports. */
export type ExportedAgent = { kind: 'runner'; runner: Runner } | { kind: 'app'; app: App };

/** Names of the exports that may be an agent, in the order of precedence. */
const EXPORTS = ['runner', 'app', 'rootAgent', 'default'] as const;

/**
 * Returns the agent of a module: the first export of `EXPORTS` that is a runner, an app or an agent. Promises are
 * awaited.
 */
export async function readAgent(module: unknown, name: string): Promise<ExportedAgent | undefined> {
  for (const key of EXPORTS) {
    const value: unknown = await (module as { [key: string]: unknown } | undefined)?.[key];
    // Checked by shape, because the value may come from another copy of the packages.
    if (isRunner(value)) return { kind: 'runner', runner: value };
    if (isApp(value)) return { kind: 'app', app: value };
    if (isAgent(value)) return { kind: 'app', app: { name, rootAgent: value } };
    // In CommonJS, the default export is the object of all exports.
    if (key === 'default' && typeof value === 'object' && value !== null && !('default' in value))
      return readAgent(value, name);
  }
  return undefined;
}

/** Returns the error message for a module in which `readAgent` finds no agent. */
export async function explainMissingAgent(module: unknown): Promise<string> {
  const exports = membersOf(module);
  const key = (['runner', 'app', 'rootAgent'] as const).find((each) => exports[each] !== undefined);
  if (key === undefined)
    return 'The module must export rootAgent, app or runner, or have an agent as its default export.';
  const expected = { runner: 'a Runner', app: 'an App with name and rootAgent', rootAgent: 'an agent' }[key];
  return `The export ${key} must be ${expected}, got ${typeName(await exports[key])}.`;
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
