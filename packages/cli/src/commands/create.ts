import type { Command } from 'commander';
import type { CreateOptions } from '../create/create-project.ts';
import type { Host } from '../host.ts';

const EXAMPLES = `
Examples:
  $ thole create                             ask for name and model
  $ thole create hello --model demo          a project that needs no key
  $ thole create agents/hello --model gemini
  $ thole create hello --model gpt-5.5       any model name
  $ thole create --yes                       hello-agent with the demo model`;

/** Adds `thole create [name]`. */
export function addCreate(program: Command, host: Host, setExitCode: (code: number) => void): void {
  program
    .command('create')
    .summary('create a project with an agent')
    .description('Creates a project with an agent in TypeScript. In a terminal it asks for missing values.')
    .argument('[name]', 'folder of the project; its last part is the name')
    .option('-m, --model <model>', 'demo (no key), gemini, openai, anthropic, or the name of a model')
    .option('-y, --yes', 'use the defaults for missing values')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, options: CreateOptions) => {
      // Imported here, so that `--help` starts faster.
      const { createProject } = await import('../create/create-project.ts');
      setExitCode(await createProject(host, name, options));
    });
}
