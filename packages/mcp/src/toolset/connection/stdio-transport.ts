import type { Transport } from '@modelcontextprotocol/client';
import type { Runtime } from '@thole/core';
import type { Readable } from 'node:stream';
import type { StdioServerParams } from './connection-params.ts';
import { logErrorOutput } from './log-error-output.ts';

/** Returns a transport that starts the process when the client connects. The lines of its error output are logged as `debug`. */
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
  logErrorOutput(transport.stderr as Readable, (fields) =>
    p.runtime.logger.debug('An MCP server wrote to its error output.', { server: p.server, ...fields }),
  );
  return transport;
}

/** True for the error with which the transport ends a process whose message is longer than `maxMessageBytes`. */
export function isTooLarge({ message }: Error): boolean {
  return /exceeded maximum size/i.test(message);
}
