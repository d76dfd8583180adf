import { describe, expect, it } from 'vitest';
import { McpToolset } from '../../src/index.ts';

const http = { type: 'StreamableHTTPConnectionParams', url: 'https://mcp.example/mcp' } as const;
const stdio = { type: 'StdioConnectionParams', serverParams: { command: 'node' } } as const;
const invalid = (message: string): object =>
  expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(message) });

describe('McpToolset options', () => {
  it.each([
    [{ type: 'SseConnectionParams', url: http.url }, 'connectionParams.type must be'],
    [{ ...http, url: 'mcp.example' }, 'url must be the URL of an MCP server'],
    [{ ...http, url: 'http://mcp.example/mcp' }, 'url must begin with https://'],
    [{ ...http, url: 'file:///mcp' }, 'url must begin with https://'],
    [{ ...http, url: 'https://ada:secret@mcp.example/mcp' }, 'url must not have a user name and password'],
    [{ ...http, url: 'http://localhost/mcp', header: { authorization: 'x' } }, 'url must begin with https://'],
    [{ ...http, url: 'https://10.0.0.1/mcp' }, 'url has the private address 10.0.0.1'],
    [{ ...http, url: 'https://[::1]/mcp' }, 'url has the private address ::1'],
    [{ ...http, url: 'https://0x7f.1/mcp' }, 'url has the private address 127.0.0.1'],
    [{ ...http, header: { a: 1 } }, 'header must be an object with string values, or a function'],
    [{ ...http, headers: {} }, 'has no option headers. Did you mean header?'],
    [{ ...http, privateHosts: ['http://localhost'] }, 'privateHosts must be a list of host names'],
    [{ ...http, timeout: 0 }, 'timeout must be a number of milliseconds above 0'],
    [{ ...http, protocol: 'new' }, "protocol must be 'auto', 'legacy' or 'modern'"],
    [{ ...stdio, serverParams: {} }, 'serverParams.command must be a string'],
    [{ ...stdio, serverParams: { command: 'node', args: 'x' } }, 'serverParams.args must be a list of strings'],
    [
      { ...stdio, serverParams: { command: 'node', env: { A: 1 } } },
      'serverParams.env must be an object with string values',
    ],
    [{ ...stdio, url: 'x' }, 'StdioConnectionParams has no option url'],
  ])('rejects the parameters %j', (params, message) => {
    expect(() => new McpToolset(params as never)).toThrow(invalid(message) as never);
  });

  it.each([
    [{ prefix: '2' }, 'prefix must be'],
    [{ toolNamePrefix: 'x' }, 'McpToolset has no option toolNamePrefix'],
    [{ requireConfirmation: ['x'] }, 'requireConfirmation must be a boolean or a function'],
    [{ maxTools: 0 }, 'maxTools must be an integer'],
    [{ maxResultBytes: -1 }, 'maxResultBytes'],
    [{ callTimeoutMs: 'x' }, 'callTimeoutMs must be a number of milliseconds'],
    [{ useMcpResources: 'x' }, 'useMcpResources must be a boolean'],
    [{ auth: {} }, 'auth.authenticator must be an Authenticator'],
    [{ auth: { authenticator: { beginSignIn: () => undefined } } }, 'Set auth.clientId, or auth.redirectUri'],
  ])('rejects the options %j', (options, message) => {
    expect(() => new McpToolset(http, undefined, options as never)).toThrow(invalid(message) as never);
  });

  it('rejects a filter that is empty or not a list of names', () => {
    expect(() => new McpToolset(http, [])).toThrow(invalid('toolFilter is empty') as never);
    expect(() => new McpToolset(http, 'read' as never)).toThrow(invalid('toolFilter must be') as never);
  });

  it('rejects a sign-in for a process', () => {
    const auth = { authenticator: { beginSignIn: () => undefined } as never, clientId: 'x' };
    expect(() => new McpToolset(stdio, undefined, { auth })).toThrow(
      invalid('auth is for servers at an address') as never,
    );
  });
});
