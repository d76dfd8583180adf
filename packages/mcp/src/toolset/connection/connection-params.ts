import type { MaybePromise, ReadonlyContext } from '@thole/core';
import { TholeError } from '@thole/core';
import {
  assertDuration,
  invalidInput,
  isPlainObject,
  isPrivateAddress,
  normalizeHost,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';

/** Default of the option `timeout`, in milliseconds. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** Generation of the protocol: `legacy` is the older one, `modern` is 2026-07-28. `auto` detects the server's protocol. */
export type McpProtocol = 'auto' | 'legacy' | 'modern';

/** The process of a server that communicates over its standard input and output. */
export interface StdioServerParams {
  /** Program to run. It is searched in `PATH`. */
  command: string;
  args?: readonly string[] | undefined;
  /** Variables in addition to a few harmless ones such as `PATH` and `HOME`. Other variables are not inherited. */
  env?: { readonly [name: string]: string } | undefined;
  /** Working directory. Default: the directory of this process. */
  cwd?: string | undefined;
}

/** A server that this process starts. Do not use parameters from untrusted input: they can start any program. */
export interface StdioConnectionParams {
  type: 'StdioConnectionParams';
  serverParams: StdioServerParams;
  /** Time limit for the start, and for each request except tool calls, in milliseconds. Default: 30,000. */
  timeout?: number | undefined;
  /** Default: `legacy`. `auto` starts the server twice, because an older server may not answer the first request. */
  protocol?: McpProtocol | undefined;
}

/** Headers of requests to a server, by name. */
export type McpHeaders = { readonly [name: string]: string };

/** A server with an address that supports streamable HTTP. */
export interface StreamableHTTPConnectionParams {
  type: 'StreamableHTTPConnectionParams';
  /** Address with `https:`. `http:` only for hosts in `privateHosts`. */
  url: string;
  /**
   * Headers of each request, or a function that returns the headers of the user. With a function, each user has a separate
   * connection, and the function is called before tools are listed and before each call.
   */
  header?: McpHeaders | ((context: ReadonlyContext) => MaybePromise<McpHeaders>) | undefined;
  /** Time limit for connecting, and for each request except tool calls, in milliseconds. Default: 30,000. */
  timeout?: number | undefined;
  /** Time without progress after which a tool call ends, in milliseconds. Default: `callTimeoutMs` of the toolset. */
  sseReadTimeout?: number | undefined;
  /** False leaves the session open at the server when the connection is closed. Default: true. */
  terminateOnClose?: boolean | undefined;
  /**
   * `fetch` sends the requests, for example through a proxy. With it, the toolset does not check whether a host name resolves
   * to a private address. Default: the platform's `fetch`.
   */
  transportOptions?: { fetch?: typeof globalThis.fetch | undefined } | undefined;
  /**
   * Host names and IP addresses that are private or on this computer, such as `localhost`. They may also use `http:`.
   * Default: none; only public servers with HTTPS are called.
   */
  privateHosts?: readonly string[] | undefined;
  /** Default: `auto`. */
  protocol?: McpProtocol | undefined;
}

/** The program or the address of a server, with ADK's names. */
export type McpConnectionParams = StdioConnectionParams | StreamableHTTPConnectionParams;

/** Returns the server's name for messages and descriptions: its host, or its program. */
export function serverLabel(params: McpConnectionParams): string {
  if (params.type === 'StreamableHTTPConnectionParams') return new URL(params.url).host;
  const { command, args = [] } = params.serverParams;
  const name = (path: string): string => path.split(/[\\/]/).at(-1)!;
  const script = args.find((each) => !each.startsWith('-'));
  return name(script === undefined ? command : script).slice(0, 64);
}

/** Throws `INVALID_INPUT` for parameters with which no server can be reached. */
export function assertConnectionParams(params: McpConnectionParams): void {
  const type: unknown = isPlainObject(params) ? (params as { type?: unknown }).type : undefined;
  if (type === 'StdioConnectionParams') return assertStdio(params as StdioConnectionParams);
  if (type === 'StreamableHTTPConnectionParams') return assertHttp(params as StreamableHTTPConnectionParams);
  throw new TholeError(
    'INVALID_INPUT',
    "connectionParams.type must be 'StdioConnectionParams' or 'StreamableHTTPConnectionParams'.",
  );
}

function assertStdio(params: StdioConnectionParams): void {
  const known = optionNames<StdioConnectionParams>({ type: true, serverParams: true, timeout: true, protocol: true });
  rejectUnknownOptions(params, known, 'StdioConnectionParams');
  const names = optionNames<StdioServerParams>({ command: true, args: true, env: true, cwd: true });
  rejectUnknownOptions(params.serverParams, names, 'serverParams');
  const { command, args, env, cwd } = params.serverParams;
  if (typeof command !== 'string' || command === '') throw invalidInput('serverParams.command', 'a string', command);
  if (args !== undefined && !(Array.isArray(args) && args.every(isString)))
    throw invalidInput('serverParams.args', 'a list of strings', args);
  if (env !== undefined && !(isPlainObject(env) && Object.values(env).every(isString)))
    throw invalidInput('serverParams.env', 'an object with string values', env);
  if (cwd !== undefined && !isString(cwd)) throw invalidInput('serverParams.cwd', 'a string', cwd);
  assertCommon(params);
}

function assertHttp(params: StreamableHTTPConnectionParams): void {
  const known = optionNames<StreamableHTTPConnectionParams>({
    ...{ type: true, url: true, header: true, timeout: true, sseReadTimeout: true, terminateOnClose: true },
    ...{ transportOptions: true, privateHosts: true, protocol: true },
  });
  rejectUnknownOptions(params, known, 'StreamableHTTPConnectionParams');
  const { url, header, sseReadTimeout, terminateOnClose, transportOptions, privateHosts } = params;
  const isList = privateHosts === undefined || (Array.isArray(privateHosts) && privateHosts.every(isHost));
  if (!isList) {
    throw new TholeError('INVALID_INPUT', 'privateHosts must be a list of host names without protocol and port.');
  }
  assertUrl(url, new Set(privateHosts?.map(normalizeHost)));
  const isHeaders = isPlainObject(header) && Object.values(header).every(isString);
  if (header !== undefined && typeof header !== 'function' && !isHeaders)
    throw invalidInput('header', 'an object with string values, or a function', header);
  if (sseReadTimeout !== undefined) assertDuration('sseReadTimeout', sseReadTimeout);
  if (terminateOnClose !== undefined && typeof terminateOnClose !== 'boolean')
    throw invalidInput('terminateOnClose', 'a boolean', terminateOnClose);
  if (transportOptions !== undefined) {
    rejectUnknownOptions(transportOptions, ['fetch'], 'transportOptions');
    const { fetch } = transportOptions;
    if (fetch !== undefined && typeof fetch !== 'function')
      throw invalidInput('transportOptions.fetch', 'a function', fetch);
  }
  assertCommon(params);
}

function assertUrl(value: unknown, privateHosts: ReadonlySet<string>): void {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (!url) throw invalidInput('url', 'the URL of an MCP server', value);
  if (url.username !== '' || url.password !== '')
    throw new TholeError('INVALID_INPUT', 'url must not have a user name and password. Use header.');
  const host = normalizeHost(url.hostname);
  if (privateHosts.has(host) && (url.protocol === 'https:' || url.protocol === 'http:')) return;
  if (url.protocol !== 'https:')
    throw new TholeError(
      'INVALID_INPUT',
      'url must begin with https://. For a server in your own network or on this computer, add its host to connectionParams.privateHosts.',
    );
  if (/^[\d.]+$|:/.test(host) && isPrivateAddress(host))
    throw new TholeError(
      'INVALID_INPUT',
      `url has the private address ${host}. If the server is in your own network, add "${host}" to connectionParams.privateHosts.`,
    );
}

function assertCommon({ timeout, protocol }: McpConnectionParams): void {
  if (timeout !== undefined) assertDuration('timeout', timeout);
  if (protocol !== undefined && !['auto', 'legacy', 'modern'].includes(protocol))
    throw new TholeError('INVALID_INPUT', "protocol must be 'auto', 'legacy' or 'modern'.");
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isHost(value: unknown): boolean {
  return typeof value === 'string' && /^[\w.:[\]-]+$/.test(value);
}
