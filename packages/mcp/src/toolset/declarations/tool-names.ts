import { TholeError } from '@thole/core';

const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Names of tools that the runtime and its packages provide. A tool of a server must not have one of these names. */
const reservedNames: ReadonlySet<string> = new Set([
  ...['transfer_to_agent', 'set_model_response', 'exit_loop', 'get_user_choice', 'request_input'],
  ...['load_memory', 'preload_memory', 'remember', 'forget', 'load_artifacts', 'load_mcp_resource'],
  ...['google_search', 'code_execution', 'file_search', 'web_search'],
]);
const RESERVED_PREFIX = /^(adk|thole)_/i;

/** Returns the name of a tool for the model. Characters that models do not accept become `_`. */
export function toToolName(name: string, prefix: string | undefined): string {
  const full = prefix === undefined ? name : `${prefix}_${name}`;
  return full.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?=[\d-])/, '_');
}

/**
 * Throws `MCP_SERVER_FAILED` for a name that is reserved or too long, and `DUPLICATE_NAME` for two tools with one name.
 * `name` is the name for the model, and `mcpName` the name at the server.
 */
export function assertToolNames(tools: readonly { name: string; mcpName: string }[], server: string): void {
  const mcpNames = new Map<string, string>();
  for (const { name, mcpName } of tools) {
    const shown = JSON.stringify(mcpName.slice(0, 100));
    if (reservedNames.has(name) || RESERVED_PREFIX.test(name)) {
      throw new TholeError(
        'MCP_SERVER_FAILED',
        `The MCP server "${server}" has a tool ${shown}, whose name is reserved. Set prefix, or leave the tool out with toolFilter.`,
      );
    }
    if (!NAME.test(name)) {
      throw new TholeError(
        'MCP_SERVER_FAILED',
        `The MCP server "${server}" has a tool ${shown}, whose name is empty or longer than 64 characters. Leave it out with toolFilter.`,
      );
    }
    const other = mcpNames.get(name);
    if (other !== undefined) {
      throw new TholeError(
        'DUPLICATE_NAME',
        `The MCP server "${server}" has two tools called ${name} (${JSON.stringify(other.slice(0, 100))} and ${shown}). Leave one out with toolFilter.`,
      );
    }
    mcpNames.set(name, mcpName);
  }
}
