/** Agents as MCP servers. */
export {};
