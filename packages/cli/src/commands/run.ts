import type { Command } from 'commander';
import type { RunOptions } from '../chat/run-agent.ts';
import type { Host } from '../host.ts';
import { addServiceOptions } from '../options/service-options.ts';

const EXAMPLES = `
Examples:
  $ thole run hello                                talk to it; Ctrl-C stops an answer
  $ thole run hello "What time is it in Tokyo?"    one question, one answer
  $ echo "Hello" | thole run hello                 lines from a pipe
  $ thole run hello --session_id monday            go on with a session, or begin it under this id
  $ thole run hello --save_session                 write the session into hello/<id>.session.json at the end
  $ thole run hello --resume hello/s1.session.json
  $ thole run hello --replay questions.json        {"state": {"city": "Paris"}, "queries": ["Hello", "Bye"]}`;

/** `thole run <agent> [message]`: talks to an agent in the terminal. */
export function addRun(program: Command, host: Host, ends: (code: number) => void): void {
  const command = program
    .command('run')
    .summary('talk to an agent in the terminal')
    .description('Talks to an agent in the terminal: line by line, or one message, or from a pipe.')
    .argument('<agent>', 'the folder or file of the agent')
    .argument('[message]', 'say this alone, and leave')
    .option('--user-id <id>', 'who is talking', 'user')
    .option('--session-id <id>', 'the session to go on with, or to begin')
    .option('--replay <file>', 'say the queries of a JSON file {state?, queries} instead of what is typed')
    .option('--resume <file or id>', 'go on with a session that was saved in a file, or that is stored')
    .option('--save-session', "write the session as JSON into the agent's folder at the end")
    .option('--no-stream', 'show whole answers instead of words as they come');
  addServiceOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (agent: string, message: string | undefined, options: RunOptions) => {
      // Not before: help should not wait for it.
      const { runAgent } = await import('../chat/run-agent.ts');
      ends(await runAgent(host, agent, message, options));
    });
}
