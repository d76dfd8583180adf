import type { Command } from 'commander';
import type { CreateOptions } from '../create/create-project.ts';
import type { Host } from '../host.ts';

const EXAMPLES = `
Examples:
  $ thole create                             asks what is needed
  $ thole create hello --model demo          a project that runs without a key
  $ thole create agents/hello --model gemini
  $ thole create hello --model gpt-5.5       any model's name
  $ thole create --yes                       hello-agent with the demo model`;

/** `thole create [name]`: makes a project that runs. */
export function addCreate(program: Command, host: Host, ends: (code: number) => void): void {
  program
    .command('create')
    .summary('make a project with an agent')
    .description('Makes a project with an agent in TypeScript. Asks what is not given, in a terminal; nowhere else.')
    .argument('[name]', 'the folder to make; its last part is the name')
    .option('-m, --model <model>', 'demo (no key), gemini, openai, or the name of a model')
    .option('-y, --yes', 'take the default for what is not given, without asking')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, options: CreateOptions) => {
      // Not before: help should not wait for it.
      const { createProject } = await import('../create/create-project.ts');
      ends(await createProject(host, name, options));
    });
}
