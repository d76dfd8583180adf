export { mcpServer } from './mcp-server.ts';
export type { AgentServer } from './mcp-server.ts';
export type { AgentServerOptions, Caller, CallIdentity, CallLimits } from './agent-server-options.ts';
export type { RequestSource } from './request-caller.ts';
export type { StdioConnection, StdioOptions } from './connect-stdio.ts';
