import type { Readable, Writable } from 'node:stream';
import { systemRuntime, TholeError } from '@thole/core';
import type { EnvVars, Logger } from '@thole/core';
import type { Channel } from '@thole/channels';
import { TerminalChannel } from '@thole/channels/terminal';
import { ChannelFactory } from './channels/create-channels.ts';
import { Companion } from './companion.ts';
import type { CompanionOptions } from './companion.ts';
import { runGrowCommand } from './grow/grow-command.ts';
import { readOptions, USAGE } from './options.ts';

/** Arguments of `runCompanion`. */
export interface CompanionProcess {
  argv: readonly string[];
  env: EnvVars;
  input: Readable;
  output: Writable;
  /** Resolves when the program must end. */
  ended: Promise<void>;
  /** Called when the program begins to end. From then on, a signal ends it at once. */
  onEnding?: (() => void) | undefined;
}

/** Time after which an ending program says what it waits for. */
const NOTICE_MS = 1_000;
const NOTICE =
  'Some answers are not finished or not delivered. The program waits for at most 10 seconds and continues them after the next start. Ctrl-C ends it at once.\n';

/** Runs the program: the channels until the input of the terminal ends or `ended` resolves, or `grow`. */
export async function runCompanion({ argv, env, input, output, ended, onEnding }: CompanionProcess): Promise<void> {
  const { folder, grow, help, port, user, verbose } = readOptions(argv, env);
  const print = (text: string): void => void output.write(`${text}\n`);
  if (help) return print(USAGE);
  const runtime = systemRuntime({ logger: lineLogger(verbose) });
  const factory = new ChannelFactory({ env, runtime, input, output });
  const inputEnded = Promise.withResolvers<void>();
  const watched = new WeakSet<Channel>();
  const endWith = (channel: Channel): void => {
    if (!(channel instanceof TerminalChannel) || watched.has(channel)) return;
    watched.add(channel);
    // A terminal that other settings replace ends too.
    void channel.ended.then(() => companion.dispatcher.channels.includes(channel) && inputEnded.resolve());
  };
  const options: CompanionOptions = {
    env,
    folder,
    runtime,
    createChannels: async (config, running) => {
      const channels = grow ? [] : await factory.create(config, running);
      channels.forEach(endWith);
      return channels;
    },
  };
  const companion = await Companion.open(options);
  try {
    if (grow)
      return await runGrowCommand({
        argv: grow,
        userId: user ?? (await findTerminalUser(companion)),
        growth: companion.growth,
        print,
      });
    print(`${companion.models.notice} /help lists the commands.`);
    await companion.start();
    const page =
      port === undefined ? undefined : await (await import('./page/serve-page.ts')).servePage(companion, port);
    if (page) print(`Page: ${page.url}`);
    await Promise.race([ended, inputEnded.promise]);
    await page?.close();
  } finally {
    onEnding?.();
    const cancelNotice = runtime.timer(NOTICE_MS, () => process.stderr.write(NOTICE));
    await companion.close().finally(cancelNotice);
  }
}

async function findTerminalUser({ config, identities }: Companion): Promise<string> {
  const sender = config.channels.terminal?.sender ?? 'me';
  const user = await identities.find({ channel: 'terminal', sender });
  if (!user) throw new TholeError('INVALID_INPUT', 'Pass the user with --user <id>.');
  return user.id;
}

/** Writes warnings and errors to standard error: messages with ids and codes, no content. */
function lineLogger(verbose: boolean): Logger {
  const write = (message: string, fields: object = {}): void => {
    const details = Object.entries(fields).flatMap(([name, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) && (verbose || name !== 'stack')
        ? [`${name}=${String(value)}`]
        : [],
    );
    process.stderr.write(`! ${[message, ...details].join(' ')}\n`);
  };
  const silent = (): void => {};
  return { debug: silent, info: verbose ? write : silent, warn: write, error: write };
}
