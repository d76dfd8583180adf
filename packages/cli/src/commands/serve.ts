import { TholeError } from '@thole/core';
import type { Command } from 'commander';
import type { Host } from '../host.ts';
import { collectNames } from '../options/collect-names.ts';
import { logLevelOption } from '../options/log-level-option.ts';
import { addServiceOptions } from '../options/service-options.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { usageError } from '../options/usage-error.ts';
import type { ServeAgentsOptions } from '../serve/serve-agents.ts';

const WEB_EXAMPLES = `
Examples:
  $ thole web                       the agents of this folder, at http://127.0.0.1:8000/dev-ui/
  $ thole web agents/hello          one agent
  $ thole web --port 0              any free port
  $ thole web --session_service_uri postgresql://user:password@host/thole
  $ thole web --memory_service_uri sqlite:///./.thole/sessions.db    memory in the database of the sessions
  $ THOLE_TOKEN=… thole web --host 0.0.0.0    reachable from other machines, with a token`;

const API_EXAMPLES = `
Examples:
  $ thole api_server agents
  $ thole api_server agents --session_service_uri redis://127.0.0.1:6379 --no-reload
  $ thole api_server agents --memory_service_uri mysql://user:password@host/thole
  $ thole api_server agents --allow_origins https://example.com --allow_origins https://other.example
  $ THOLE_TOKEN=… thole api_server agents --host 0.0.0.0 --url_prefix /api`;

/** Adds `thole web [agents_dir]`. */
export function addWeb(program: Command, host: Host, setExitCode: (code: number) => void): void {
  const command = program
    .command('web')
    .summary('serve agents with a page in the browser')
    .description('Serves agents with a page to chat with them, and to inspect runs, sessions and memory.');
  addServing(command, host, setExitCode, true).addHelpText('after', WEB_EXAMPLES);
}

/** Adds `thole api_server [agents_dir]`. */
export function addApiServer(program: Command, host: Host, setExitCode: (code: number) => void): void {
  const command = program
    .command('api_server')
    .alias('api-server')
    .summary('serve agents over HTTP')
    .description("Serves agents over ADK's HTTP API, without a page and without traces.");
  addServing(command, host, setExitCode, false).addHelpText('after', API_EXAMPLES);
}

type ParsedOptions = ServiceOptions &
  Pick<ServeAgentsOptions, 'host' | 'port' | 'logLevel' | 'token'> &
  Partial<Pick<ServeAgentsOptions, 'allowOrigins' | 'allowedHosts' | 'reload' | 'urlPrefix'>>;

function addServing(command: Command, host: Host, setExitCode: (code: number) => void, withPage: boolean): Command {
  command
    .argument('[agents_dir]', 'a folder of agents, or the folder or file of one agent', '.')
    .option(
      '--host <address>',
      'address to listen on; an address that other machines can reach needs a token',
      '127.0.0.1',
    )
    .option('--port <port>', 'port; 0 chooses a free one', readPort, 8000)
    .option('--allow-origins <origin>', 'origin whose pages may use the API; may be repeated', collectNames)
    .option(
      '--allowed-hosts <name>',
      'additional host name that the Host header may contain, behind a proxy; may be repeated',
      collectNames,
    )
    .option('--token <token>', 'token that clients must send (default: THOLE_TOKEN)')
    .option('--url-prefix <path>', 'prefix of all paths', readPrefix)
    .option('--reload', 'reload agents when their files change (the default)')
    .option('--no-reload', 'load agents once')
    .addOption(logLevelOption());
  return addServiceOptions(command).action(async (path: string, options: ParsedOptions) => {
    if (options.host === '') throw usageError('--host must not be empty.');
    if (options.token === '') throw usageError('--token must not be empty.');
    const token = readToken(options.token ?? host.env['THOLE_TOKEN']);
    // Imported here, so that `--help` starts faster.
    const { serveAgents } = await import('../serve/serve-agents.ts');
    const { allowOrigins = [], allowedHosts = [], reload = true, urlPrefix = '' } = options;
    const withDefaults = { allowOrigins, allowedHosts, reload, urlPrefix };
    const serving = serveAgents(host, path, { ...options, ...withDefaults, token, withPage });
    setExitCode(
      await serving.catch((error: unknown) => {
        throw withOptionName(error);
      }),
    );
  });
}

/** Returns a usage error that names the option of the command if the server has rejected its value. */
function withOptionName(error: unknown): unknown {
  const [, name, problem] = TholeError.is(error, 'INVALID_INPUT')
    ? (/^(cors\.origins|allowedHosts)( .*)$/s.exec(error.message) ?? [])
    : [];
  return name === undefined
    ? error
    : usageError(`${name === 'allowedHosts' ? '--allowed_hosts' : '--allow_origins'}${problem}`);
}

function readToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  // Other characters cannot be in a header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError('The token must be ASCII text without spaces.');
  return token;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw usageError('--port must be an integer from 0 to 65535.');
  return port;
}

function readPrefix(text: string): string {
  const prefix = text.replace(/\/+$/, '');
  // A browser removes the segments `.` and `..` from a URL.
  if (!/^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)*$/.test(prefix))
    throw usageError('--url_prefix must start with / and have plain path segments, such as /api.');
  return prefix;
}
