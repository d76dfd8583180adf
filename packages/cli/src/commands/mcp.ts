import type { Command } from 'commander';
import type { Host } from '../host.ts';
import { collectNames } from '../options/collect-names.ts';
import { logLevelOption } from '../options/log-level-option.ts';
import { addServiceOptions } from '../options/service-options.ts';
import type { ServeMcpOptions } from '../serve/serve-mcp.ts';

const EXAMPLES = `
Examples:
  $ thole mcp hello                         serve the agent as the tool of its name
  $ thole mcp hello --agents writer,critic  serve other agents of the app
  $ thole mcp hello --session_service_uri memory://

The configuration of a client, which may start the command in any folder:
  {"mcpServers": {"hello": {"command": "sh", "args": ["-c", "cd /path/to/project && exec npx thole mcp hello"]}}}`;

/** Adds `thole mcp <agent>`. */
export function addMcp(program: Command, host: Host, setExitCode: (code: number) => void): void {
  const command = program
    .command('mcp')
    .summary('serve an agent as a tool over MCP')
    .description(
      'Serves agents as tools of an MCP server over standard input and output. Logs go to standard error. Needs @thole/mcp.',
    )
    .argument('<agent>', 'folder or file of the agent')
    .option('--agents <names>', 'agents to serve (default: the root agent); may be repeated', collectNames)
    .option('--user-id <id>', 'id of the user', 'user')
    .addOption(logLevelOption());
  addServiceOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (agent: string, options: ServeMcpOptions) => {
      // Imported here, so that `--help` starts faster.
      const { serveMcp } = await import('../serve/serve-mcp.ts');
      setExitCode(await serveMcp(host, agent, options));
    });
}
