import { newestFirst } from '@thole/core/kit';
import type { FunctionDeclaration, ReadonlyContext, Tool, Toolset } from '@thole/core';
import { CLIENT_TOOLS_KEY, storedClientTools } from './client-state.ts';

/**
 * The tools that an AG-UI client offers to agents. Add it to the `tools` of the agents that may call them. A call ends the run,
 * and the next request of the client contains the result. The toolset is empty in runs of other clients.
 */
export class ClientToolset implements Toolset {
  /** Lets other copies of this package recognize the toolset. */
  readonly isClientToolset: true = true;

  getTools({ history, invocationId, state }: ReadonlyContext): Promise<readonly Tool[]> {
    const stored = storedClientTools(state.get(CLIENT_TOOLS_KEY));
    const tools = stored.length > 0 && isAgUiInvocation(history, invocationId) ? stored.map(toTool) : [];
    return Promise.resolve(tools);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** True for a `ClientToolset` of any copy of this package. */
export function isClientToolset(value: unknown): boolean {
  return (value as Partial<ClientToolset> | null | undefined)?.isClientToolset === true;
}

/** True if an AG-UI client started the invocation. Other clients of the session do not have the tools. */
function isAgUiInvocation(history: ReadonlyContext['history'], invocationId: string): boolean {
  for (const event of newestFirst(history))
    if (event.invocationId === invocationId && event.author === 'user')
      return event.customMetadata?.['agUiRunId'] !== undefined;
  return false;
}

function toTool(declaration: FunctionDeclaration): Tool {
  const { description = '', name } = declaration;
  return {
    name,
    description,
    isLongRunning: true,
    declaration: () => declaration,
    runAsync: () => Promise.resolve(undefined),
  };
}
