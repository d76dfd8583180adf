import type { Command } from 'commander';
import type { RunOptions } from '../chat/run-agent.ts';
import type { Host } from '../host.ts';
import { addServiceOptions } from '../options/service-options.ts';

const EXAMPLES = `
Examples:
  $ thole run hello                                chat; Ctrl-C stops an answer
  $ thole run hello "What time is it in Tokyo?"    send one message
  $ echo "Hello" | thole run hello                 send lines from a pipe
  $ thole run hello --session_id monday            continue or create the session "monday"
  $ thole run hello --save_session                 save the session as hello/<id>.session.json
  $ thole run hello --resume hello/s1.session.json
  $ thole run hello --resume s1 --answer adk-1=yes    approve a tool call that waits
  $ thole run hello --replay questions.json        {"state": {"city": "Paris"}, "queries": ["Hello", "Bye"]}`;

/** Adds `thole run <agent> [message]`. */
export function addRun(program: Command, host: Host, setExitCode: (code: number) => void): void {
  const command = program
    .command('run')
    .summary('chat with an agent in the terminal')
    .description('Chats with an agent in the terminal, sends one message, or reads lines from a pipe.')
    .argument('<agent>', 'folder or file of the agent')
    .argument('[message]', 'send this message only')
    .option('--user-id <id>', 'id of the user', 'user')
    .option('--session-id <id>', 'session to continue, or to create with this id')
    .option('--replay <file>', 'send the queries of a JSON file {state?, queries}')
    .option('--resume <file or id>', 'continue a session from a file, or a stored session')
    .option('--answer <id=value>', 'answer an open question of the session; may be repeated', collect)
    .option('--save-session', "save the session as JSON in the agent's folder at the end")
    .option('--no-stream', 'show complete answers instead of streaming them');
  addServiceOptions(command)
    .addHelpText('after', EXAMPLES)
    .action(async (agent: string, message: string | undefined, options: RunOptions) => {
      // Imported here, so that `--help` starts faster.
      const { runAgent } = await import('../chat/run-agent.ts');
      setExitCode(await runAgent(host, agent, message, options));
    });
}

function collect(text: string, previous: readonly string[] = []): string[] {
  return [...previous, text];
}
