import type { ReadonlyContext, Runtime } from '@thole/core';
import { TholeError } from '@thole/core';
import {
  assertBytes,
  assertCount,
  assertDuration,
  invalidInput,
  optionNames,
  rejectUnknownOptions,
} from '@thole/core/kit';
import type { McpRequireConfirmation, McpTool } from './mcp-tool.ts';
import { assertAuthOptions } from './sign-in/mcp-auth-options.ts';
import type { McpAuthOptions } from './sign-in/mcp-auth-options.ts';

/** Names of the offered tools at the server, or a function that returns true for an offered tool. It is called at each step. */
export type McpToolFilter = readonly string[] | ((tool: McpTool, context: ReadonlyContext) => boolean);

/** Options of `McpToolset`. Durations are in milliseconds. */
export interface McpToolsetOptions {
  /** Prefix of all tool names: `files` changes `read` to `files_read`. Default: none. */
  prefix?: string | undefined;
  /** True, or a function that returns true, if a person must confirm a call before it is sent. Default: false. */
  requireConfirmation?: McpRequireConfirmation | undefined;
  /** Signs users in to a server at an address. Each user has a separate connection. Default: no sign-in. */
  auth?: McpAuthOptions | undefined;
  /** True adds the tool `load_mcp_resource`, with which the model lists and reads resources. Default: false. */
  useMcpResources?: boolean | undefined;
  /** True adds the instructions of the server to the system instruction, quoted. Default: true. */
  useInstructions?: boolean | undefined;
  /** Time without progress after which a call ends. Default: 300,000. */
  callTimeoutMs?: number | undefined;
  /** Time after which a call ends even with progress, without the time in which a person answers. Default: 600,000. */
  maxCallTimeMs?: number | undefined;
  /** Time after which a question of a server of the older protocol is declined. Default: 300,000. */
  elicitationTimeoutMs?: number | undefined;
  /** Time after which an unused connection is closed. Default: 300,000. */
  idleTimeoutMs?: number | undefined;
  /** Maximum number of tools that `toolFilter` accepts. More tools throw `MCP_SERVER_FAILED`. Default: 128. */
  maxTools?: number | undefined;
  /** Maximum size of a result in bytes. A larger result is an error for the model. Default: 1 MiB. */
  maxResultBytes?: number | undefined;
  /** Clock, timers and logs. Default: `systemRuntime()`. */
  runtime?: Runtime | undefined;
}

/** Throws `INVALID_INPUT` for options that are not valid. */
export function assertToolsetOptions(options: McpToolsetOptions, isHttp: boolean): void {
  const known = optionNames<McpToolsetOptions>({
    ...{ prefix: true, requireConfirmation: true, auth: true, useMcpResources: true, useInstructions: true },
    ...{ callTimeoutMs: true, maxCallTimeMs: true, elicitationTimeoutMs: true, idleTimeoutMs: true },
    ...{ maxTools: true, maxResultBytes: true, runtime: true },
  });
  rejectUnknownOptions(options, known, 'McpToolset');
  const { prefix, requireConfirmation, auth, maxTools, maxResultBytes } = options;
  if (prefix !== undefined && (typeof prefix !== 'string' || !/^[A-Za-z_][\w-]{0,31}$/.test(prefix)))
    throw new TholeError(
      'INVALID_INPUT',
      'prefix must be 1 to 32 letters, digits, _ or -, and begin with a letter or _.',
    );
  if (!['undefined', 'boolean', 'function'].includes(typeof requireConfirmation))
    throw invalidInput('requireConfirmation', 'a boolean or a function', requireConfirmation);
  for (const name of ['useMcpResources', 'useInstructions'] as const) {
    if (options[name] !== undefined && typeof options[name] !== 'boolean')
      throw invalidInput(name, 'a boolean', options[name]);
  }
  for (const name of ['callTimeoutMs', 'maxCallTimeMs', 'elicitationTimeoutMs', 'idleTimeoutMs'] as const)
    if (options[name] !== undefined) assertDuration(name, options[name]);
  if (maxTools !== undefined) assertCount('maxTools', maxTools, 1);
  if (maxResultBytes !== undefined) assertBytes('maxResultBytes', maxResultBytes);
  if (auth === undefined) return;
  assertAuthOptions(auth);
  if (!isHttp)
    throw new TholeError(
      'INVALID_INPUT',
      'auth is for servers at an address. Pass secrets to a process in serverParams.env.',
    );
}

/** Throws `INVALID_INPUT` for a filter that is neither a list of names nor a function, and for an empty list. */
export function assertToolFilter(filter: McpToolFilter | undefined): void {
  if (filter === undefined || typeof filter === 'function') return;
  if (!Array.isArray(filter) || filter.some((name) => typeof name !== 'string'))
    throw invalidInput('toolFilter', 'a list of names, or a function', filter);
  if (filter.length === 0)
    throw new TholeError('INVALID_INPUT', 'toolFilter is empty. Leave it out to offer all tools.');
}
