/** Tools of MCP servers for agents. */
export {};
