import { callStatus, getFunctionCalls } from '@thole/core';
import type { ReadonlyContext, Tool } from '@thole/core';
import { toToolName } from '../declarations/tool-names.ts';
import type { McpSignIn } from './mcp-sign-in.ts';

/**
 * Returns a tool that requests a sign-in of the user. It is offered instead of the server's tools until the user has signed
 * in.
 */
export function createSignInTool(signIn: McpSignIn, p: { server: string; prefix: string | undefined }): Tool {
  const name = signInToolName(p);
  const description = `Asks the user to sign in to the MCP server "${p.server}". Its tools can be used after that. Call it when the request of the user may need them.`;
  return {
    name,
    description,
    // The tool only requests a sign-in, so a call whose outcome is unknown can be repeated.
    idempotent: true,
    declaration: () => ({ name, description, parametersJsonSchema: { type: 'object', properties: {} } }),
    async runAsync({ toolContext }) {
      await signIn.request(toolContext);
      return { status: 'signed in', next: `The tools of "${p.server}" can be used now.` };
    },
  };
}

/** True if this invocation waits for the result of a sign-in tool, which must then still be offered. */
export function waitsForSignIn({ history, invocationId }: ReadonlyContext, toolName: string): boolean {
  for (let i = history.length - 1; i >= 0; i--) {
    const event = history.at(i)!;
    if (event.invocationId !== invocationId) continue;
    const call = getFunctionCalls(event).find(({ name }) => name === toolName);
    if (call) return callStatus(history, call.id!)?.status !== 'answered';
  }
  return false;
}

/** Returns the name of the sign-in tool of a server. */
export function signInToolName({ server, prefix }: { server: string; prefix: string | undefined }): string {
  return toToolName(prefix === undefined ? `sign_in_to_${server}` : 'sign_in', prefix).slice(0, 64);
}
