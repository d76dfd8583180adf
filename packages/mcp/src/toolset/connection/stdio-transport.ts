import type { Transport } from '@modelcontextprotocol/client';
import type { Runtime } from '@thole/core';
import type { Readable } from 'node:stream';
import type { StdioServerParams } from './connection-params.ts';

const MAX_LOG_BYTES = 500;

/** Returns a transport that starts the process when the client connects. Its error output is logged as `debug`. */
export async function createStdioTransport(
  { command, args = [], env, cwd }: StdioServerParams,
  p: { server: string; maxMessageBytes: number; runtime: Runtime },
): Promise<Transport> {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    stderr: 'pipe',
    maxBufferSize: p.maxMessageBytes,
  });
  // Without a reader, the process would stop when the pipe is full.
  const errorOutput = transport.stderr as Readable | null;
  errorOutput?.on('data', (chunk: Uint8Array) => {
    const line = new TextDecoder().decode(chunk.subarray(0, MAX_LOG_BYTES)).trim();
    if (line !== '') p.runtime.logger.debug('An MCP server wrote to its error output.', { server: p.server, line });
  });
  return transport;
}
