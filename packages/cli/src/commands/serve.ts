import { Option } from 'commander';
import type { Command } from 'commander';
import type { Host } from '../host.ts';
import { addServiceOptions } from '../options/service-options.ts';
import type { ServiceOptions } from '../options/service-options.ts';
import { usageError } from '../options/usage-error.ts';
import { LOG_LEVELS } from '../serve/log-levels.ts';
import type { LogLevel } from '../serve/log-levels.ts';
import type { ServeAgentsOptions } from '../serve/serve-agents.ts';

const WEB_EXAMPLES = `
Examples:
  $ thole web                       the agents of this folder, at http://127.0.0.1:8000/dev-ui/
  $ thole web agents/hello          one agent
  $ thole web --port 0              any free port
  $ thole web --session_service_uri postgresql://user:password@host/thole
  $ thole web --memory_service_uri sqlite:///./.thole/sessions.db    memory beside the sessions
  $ THOLE_TOKEN=… thole web --host 0.0.0.0    others on the network, with a token`;

const API_EXAMPLES = `
Examples:
  $ thole api_server agents
  $ thole api_server agents --session_service_uri redis://127.0.0.1:6379 --no-reload
  $ thole api_server agents --memory_service_uri mysql://user:password@host/thole
  $ thole api_server agents --allow_origins https://example.com --allow_origins https://other.example
  $ THOLE_TOKEN=… thole api_server agents --host 0.0.0.0 --url_prefix /api`;

/** `thole web [agents_dir]`: the page and the API, for those who write agents. */
export function addWeb(program: Command, host: Host, ends: (code: number) => void): void {
  const command = program
    .command('web')
    .summary('serve agents with a page in the browser')
    .description('Serves agents with a page to talk to them, see what they do, and look after sessions and memory.');
  addServing(command, host, ends, true).addHelpText('after', WEB_EXAMPLES);
}

/** `thole api_server [agents_dir]`: the API alone. */
export function addApiServer(program: Command, host: Host, ends: (code: number) => void): void {
  const command = program
    .command('api_server')
    .alias('api-server')
    .summary('serve agents over HTTP')
    .description("Serves agents over HTTP, as ADK's API: without a page and without traces.");
  addServing(command, host, ends, false).addHelpText('after', API_EXAMPLES);
}

type Typed = ServiceOptions &
  Pick<ServeAgentsOptions, 'host' | 'port' | 'logLevel' | 'token'> &
  Partial<Pick<ServeAgentsOptions, 'allowOrigins' | 'allowedHosts' | 'reload' | 'urlPrefix'>>;

function addServing(command: Command, host: Host, ends: (code: number) => void, withPage: boolean): Command {
  command
    .argument('[agents_dir]', 'a folder of agents, or the folder or file of one', '.')
    .option('--host <address>', 'where to listen; another than this machine needs a token', '127.0.0.1')
    .option('--port <port>', 'the port; 0 takes a free one', readPort, 8000)
    .option('--allow-origins <origin>', 'a page that may use the API; may be repeated', collect)
    .option(
      '--allowed-hosts <name>',
      'a further host name that requests may name, behind a proxy; may be repeated',
      collect,
    )
    .option('--token <token>', 'who asks must show it (default: THOLE_TOKEN)')
    .option('--url-prefix <path>', 'what all paths begin with', readPrefix)
    .option('--reload', 'load agents anew when their files change (the default)')
    .option('--no-reload', 'load agents once')
    .addOption(new Option('--log-level <level>', `${LOG_LEVELS.join(', ')}`).argParser(readLevel).default('info'));
  return addServiceOptions(command).action(async (path: string, options: Typed) => {
    const token = checkedToken(options.token ?? host.env['THOLE_TOKEN']);
    // Not before: help should not wait for it.
    const { serveAgents } = await import('../serve/serve-agents.ts');
    const { allowOrigins = [], allowedHosts = [], reload = true, urlPrefix = '' } = options;
    const rest = { allowOrigins, allowedHosts, reload, urlPrefix };
    ends(await serveAgents(host, path, { ...options, ...rest, token, withPage }));
  });
}

function checkedToken(token: string | undefined): string | undefined {
  if (token === undefined || token === '') return undefined;
  // A header could not carry another one.
  if (!/^[\x21-\x7e]+$/.test(token)) throw usageError('The token must be of ASCII characters, without blanks.');
  return token;
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (port < 0 || port > 65_535) throw usageError('--port must be a whole number from 0 to 65535.');
  return port;
}

function readPrefix(text: string): string {
  const prefix = text.replace(/\/+$/, '');
  if (!/^(?:\/[\w.~-]+)*$/.test(prefix))
    throw usageError('--url_prefix must begin with / and hold plain path segments.');
  return prefix;
}

function readLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text.toLowerCase());
  if (!level) throw usageError(`--log_level must be one of ${LOG_LEVELS.join(', ')}.`);
  return level;
}

function collect(text: string, before: readonly string[] = []): string[] {
  return [
    ...before,
    ...text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
  ];
}
