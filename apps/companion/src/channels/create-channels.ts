import type { Readable, Writable } from 'node:stream';
import type { Channel } from '@thole/channels';
import { HttpChannel } from '@thole/channels/http';
import { TerminalChannel } from '@thole/channels/terminal';
import { TholeError } from '@thole/core';
import type { EnvVars, Runtime } from '@thole/core';
import type { ChannelsConfig } from '../config/companion-config.ts';

/** Arguments of the constructor of `ChannelFactory`. */
export interface ChannelContext {
  env: EnvVars;
  runtime: Runtime;
  /** Default: standard input and output. */
  input?: Readable | undefined;
  output?: Writable | undefined;
}

/** Creates channels of a configuration, and keeps those whose settings have not changed. */
export class ChannelFactory {
  readonly #context: ChannelContext;
  readonly #made = new Map<string, { settings: string; channel: Channel }>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  /** Returns the channels. Throws `INVALID_INPUT` if a secret is missing in the environment; then nothing has changed. */
  create(config: ChannelsConfig): Channel[] {
    const made = Object.entries(config).flatMap(([name, options]: [string, object | undefined]) => {
      if (!options) return [];
      const settings = JSON.stringify(options);
      const known = this.#made.get(name);
      return [
        [name, known?.settings === settings ? known : { settings, channel: this.#create(name, config) }] as const,
      ];
    });
    this.#made.clear();
    for (const [name, each] of made) this.#made.set(name, each);
    return made.map(([, { channel }]) => channel);
  }

  #create(name: string, config: ChannelsConfig): Channel {
    const { env, input, output, runtime } = this.#context;
    switch (name) {
      case 'terminal':
        return new TerminalChannel({ sender: config.terminal!.sender, input, output, runtime });
      case 'http': {
        const secrets = secretIn(env, 'COMPANION_HTTP_SECRET').split(',');
        return new HttpChannel({ secrets, ...config.http!, runtime });
      }
      default:
        throw new TholeError('INVALID_INPUT', `There is no channel "${name}".`);
    }
  }
}

function secretIn(env: EnvVars, name: string): string {
  const secret = env[name]?.trim();
  if (!secret) throw new TholeError('INVALID_INPUT', `The channel needs the variable ${name} in the environment.`);
  return secret;
}
