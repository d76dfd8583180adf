import { newestFirst } from '@thole/core/kit';
import type { FunctionDeclaration, ReadonlyContext, Tool, Toolset } from '@thole/core';
import { CLIENT_TOOLS_KEY } from './client-state.ts';

/**
 * The tools of a page that speaks AG-UI. Put it in the `tools` of the agents that may call them. A call ends the run, and the
 * page's next request contains the result. The toolset is empty in runs of other clients.
 */
export class ClientToolset implements Toolset {
  /** Marks the toolset for other copies of this package. */
  readonly isClientToolset: true = true;

  getTools({ history, invocationId, state }: ReadonlyContext): Promise<readonly Tool[]> {
    const stored = state.get(CLIENT_TOOLS_KEY) as FunctionDeclaration[] | undefined;
    const tools = stored && isOfAgUi(history, invocationId) ? stored.map(toTool) : [];
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

/** Another client of the session does not have the tools. */
function isOfAgUi(history: ReadonlyContext['history'], invocationId: string): boolean {
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
