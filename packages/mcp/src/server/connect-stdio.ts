import type { Readable, Writable } from 'node:stream';
import { optionNames } from '@thole/core/kit';
import type { McpServerFactory } from '@modelcontextprotocol/server';

/** Streams of a connection over stdio. */
export interface StdioOptions {
  /** Default: the standard input of the process. */
  input?: Readable | undefined;
  /** Default: the standard output of the process. Nothing else may write to it. */
  output?: Writable | undefined;
  /** The user of all calls. Default: `user`. */
  userId?: string | undefined;
}

export const stdioOptionNames: readonly string[] = optionNames<StdioOptions>({
  input: true,
  output: true,
  userId: true,
});

/** A connection over stdio. */
export interface StdioConnection {
  /** Resolves when the client has closed the input, or when the connection was closed. */
  readonly closed: Promise<void>;
  /** Ends active calls and closes the connection. */
  close(): Promise<void>;
}

/** Serves MCP over streams. A message of more than `bodyBytes` closes the connection. */
export async function connectStdio(
  factory: McpServerFactory,
  p: StdioOptions & { bodyBytes: number; onError: (error: Error) => void; onTooLarge: () => void },
): Promise<StdioConnection> {
  // Loaded only when it is needed, because it requires Node.
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const transport = new StdioServerTransport(p.input, p.output, { maxBufferSize: p.bodyBytes });
  const onerror = (error: Error): void =>
    /exceeded maximum size/i.test(error.message) ? p.onTooLarge() : p.onError(error);
  const handle = serveStdio(factory, { transport, onerror });
  const closeConnection = transport.onclose;
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closeConnection?.();
      resolve();
    };
  });
  return { closed, close: () => handle.close() };
}
