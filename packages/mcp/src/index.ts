export { McpToolset, MCPToolset } from './toolset/mcp-toolset.ts';
export type { McpToolFilter, McpToolsetOptions } from './toolset/mcp-toolset-options.ts';
export { McpTool } from './toolset/mcp-tool.ts';
export type { McpRequireConfirmation } from './toolset/mcp-tool.ts';
export type {
  McpConnectionParams,
  McpHeaders,
  McpProtocol,
  StdioConnectionParams,
  StdioServerParams,
  StreamableHTTPConnectionParams,
} from './toolset/connection/connection-params.ts';
export type { McpAuthOptions } from './toolset/sign-in/mcp-auth-options.ts';
