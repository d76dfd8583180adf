import type { Readable, Writable } from 'node:stream';
import type { Channel } from '@thole/channels';
import { HttpChannel } from '@thole/channels/http';
import { TerminalChannel } from '@thole/channels/terminal';
import { TholeError } from '@thole/core';
import type { EnvVars, Runtime } from '@thole/core';
import type { ChannelsConfig } from '../config/companion-config.ts';

/** Options of `ChannelFactory`. */
export interface ChannelContext {
  env: EnvVars;
  runtime: Runtime;
  /** Default: standard input and output. */
  input?: Readable | undefined;
  output?: Writable | undefined;
}

/** Creates the channels of a configuration. Running channels with unchanged settings are the same objects as before. */
export class ChannelFactory {
  readonly #context: ChannelContext;
  #channels = new Map<string, { settings: string; channel: Channel }>();

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  /**
   * Returns the channels. A channel that is not running is created again, because it may have failed to start. Throws
   * `INVALID_INPUT` if a secret is missing in the environment; in this case nothing changes.
   */
  async create(config: ChannelsConfig, running: readonly Channel[]): Promise<Channel[]> {
    const channels = new Map<string, { settings: string; channel: Channel }>();
    for (const [name, options] of Object.entries(config) as [keyof ChannelsConfig, object | undefined][]) {
      if (!options) continue;
      const settings = JSON.stringify(options);
      const known = this.#channels.get(name);
      channels.set(
        name,
        known?.settings === settings && running.includes(known.channel)
          ? known
          : { settings, channel: await this.#create(name, config) },
      );
    }
    this.#channels = channels;
    return Array.from(channels.values(), ({ channel }) => channel);
  }

  async #create(name: keyof ChannelsConfig, config: ChannelsConfig): Promise<Channel> {
    const { env, input, output, runtime } = this.#context;
    switch (name) {
      case 'terminal':
        return new TerminalChannel({ ...config.terminal!, input, output, runtime });
      case 'http': {
        const secrets = readSecret(env, name, 'COMPANION_HTTP_SECRET').split(/\s*,\s*/);
        if (secrets.some(({ length }) => length < 32))
          throw new TholeError(
            'INVALID_INPUT',
            'COMPANION_HTTP_SECRET must be a secret with at least 32 characters, or several with commas between them.',
          );
        return new HttpChannel({ secrets, ...config.http!, runtime });
      }
      case 'telegram': {
        const token = readSecret(env, name, 'TELEGRAM_BOT_TOKEN');
        // Loaded only if it is used, because its library needs memory.
        const { TelegramChannel } = await import('@thole/channels/telegram');
        return withVariables({ token: 'TELEGRAM_BOT_TOKEN' }, () => {
          return new TelegramChannel({ token, ...config.telegram!, runtime });
        });
      }
      case 'whatsapp': {
        const accessToken = readSecret(env, name, 'WHATSAPP_ACCESS_TOKEN');
        const appSecret = readSecret(env, name, 'WHATSAPP_APP_SECRET');
        const verifyToken = readSecret(env, name, 'WHATSAPP_VERIFY_TOKEN');
        const { WhatsAppChannel } = await import('@thole/channels/whatsapp');
        return withVariables(
          {
            accessToken: 'WHATSAPP_ACCESS_TOKEN',
            appSecret: 'WHATSAPP_APP_SECRET',
            verifyToken: 'WHATSAPP_VERIFY_TOKEN',
          },
          () => new WhatsAppChannel({ accessToken, appSecret, verifyToken, ...config.whatsapp!, runtime }),
        );
      }
    }
  }
}

function readSecret(env: EnvVars, channel: string, name: string): string {
  const secret = env[name]?.trim();
  if (!secret)
    throw new TholeError('INVALID_INPUT', `The channel ${channel} needs the variable ${name} in the environment.`);
  return secret;
}

/** Creates a channel. An error names the variable of the environment, because the user does not know the option of the channel. */
function withVariables<T>(variables: Readonly<Record<string, string>>, create: () => T): T {
  try {
    return create();
  } catch (error) {
    const option = TholeError.is(error, 'INVALID_INPUT') ? error.details?.['option'] : undefined;
    const variable = typeof option === 'string' ? variables[option] : undefined;
    if (variable === undefined) throw error;
    throw new TholeError('INVALID_INPUT', (error as Error).message.replace(option as string, variable));
  }
}
