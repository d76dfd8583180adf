import { canonicalJson, failInvalidJson, isPlainObject, JsonCopier, scopeOf, setOwn } from '@thole/core/kit';
import type { FunctionDeclaration, Json, JsonObject, StateDelta, StateMap } from '@thole/core';
import type { ClientScope } from '../handler-options.ts';
import type { RunInput } from './run-input.ts';

/** State key of the client's tools. They are stored so that any process can continue the run. */
export const CLIENT_TOOLS_KEY = 'agUiTools';
/** State key of the client's `context`, which instructions can use. */
const CLIENT_CONTEXT_KEY = 'agUiContext';

const protocolKeys: ReadonlySet<string> = new Set([CLIENT_TOOLS_KEY, CLIENT_CONTEXT_KEY]);

/** Returns the state that is sent to the client, without the tools and the context that the client has sent. */
export function visibleState(state: StateMap): JsonObject {
  return Object.fromEntries(Object.entries(state).filter(([key]) => !protocolKeys.has(key)));
}

/** Returns the stored tools of the client. Other values, which a client has written as state, are left out. */
export function storedClientTools(stored: Json | undefined): FunctionDeclaration[] {
  const list = Array.isArray(stored) ? (stored as unknown[]) : [];
  return list.filter(
    (each) => isPlainObject(each) && typeof each['name'] === 'string',
  ) as unknown[] as FunctionDeclaration[];
}

/**
 * Returns the state to store with the message: the client's tools, its context, and its changes of keys without a prefix. Keys
 * that the client does not send stay unchanged, and keys with a prefix are not written. A resumed run keeps its tools and context
 * if the client sends none. Returns undefined if nothing changes.
 */
export function clientStateDelta(
  { context, state }: Pick<RunInput, 'context' | 'state'>,
  p: {
    stored: StateMap;
    tools: readonly FunctionDeclaration[];
    isResume: boolean;
    clientMayWrite: ReadonlySet<ClientScope>;
  },
): StateDelta | undefined {
  const { stored } = p;
  const delta: StateDelta = {};
  const change = (key: string, value: Json): void => {
    const storedValue = Object.hasOwn(stored, key) ? stored[key]! : null;
    if (canonicalJson(storedValue) !== canonicalJson(value)) setOwn(delta, key, value);
  };
  if (isPlainObject(state) && p.clientMayWrite.has('session'))
    for (const [key, value] of Object.entries(state))
      if (scopeOf(key) === 'session' && !protocolKeys.has(key))
        change(key, new JsonCopier(failInvalidJson).copy(value, 'body.state') as Json);
  const entries = context.map(({ description, value }) => ({ description, value }));
  for (const [key, list] of [
    [CLIENT_TOOLS_KEY, p.tools],
    [CLIENT_CONTEXT_KEY, entries],
  ] as const) {
    if (list.length > 0) change(key, list as unknown as Json);
    else if (!p.isResume) change(key, null);
  }
  return Object.keys(delta).length > 0 ? delta : undefined;
}
