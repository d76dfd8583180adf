import type { Command } from 'commander';
import type { Host } from '../host.ts';

const EXAMPLES = `
Examples:
  $ thole replay trip.json           run the agent of this folder on a recorded run
  $ thole replay trip.json hello     run the agent of the folder hello

recordRun of @thole/replay writes such files. The command calls no models, and exits with 1 at the first difference.`;

/** Adds `thole replay <file> [agent]`. */
export function addReplay(program: Command, host: Host, setExitCode: (code: number) => void): void {
  program
    .command('replay')
    .summary('compare an agent with a recorded run')
    .description('Runs an agent on a recorded run and shows the first difference.')
    .argument('<file>', 'file of a recorded run')
    .argument('[agent]', 'folder or file of the agent', '.')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, agent: string) => {
      // Imported here, so that `--help` starts faster.
      const { replayAgent } = await import('../replay/replay-agent.ts');
      setExitCode(await replayAgent(host, file, agent));
    });
}
