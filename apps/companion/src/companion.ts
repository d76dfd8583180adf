import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Dispatcher, FileIdentityStore } from '@thole/channels';
import type { Channel, IdentityStore } from '@thole/channels';
import { SqlDeliveryStore, sqliteDatabase } from '@thole/channels/sql';
import { TholeError } from '@thole/core';
import type { EnvVars, MemoryService, Runtime, SessionService, Tool } from '@thole/core';
import { DatabaseArtifactService, DatabaseSessionService } from '@thole/sql-services';
import type { ChannelsConfig, CompanionConfig } from './config/companion-config.ts';
import { ConfigFile } from './config/config-file.ts';
import { APP_NAME, createGeneration } from './generation.ts';
import type { Generation } from './generation.ts';
import { Growth } from './grow/growth.ts';
import { defaultMessagePolicy } from './messages/message-policy.ts';
import type { MessagePolicy } from './messages/message-policy.ts';
import { messageUserTool } from './messages/message-user-tool.ts';
import { PHONE_CHANNEL } from './messages/phone-numbers.ts';
import { chooseModels } from './models/choose-models.ts';
import type { Models } from './models/choose-models.ts';
import { openMemory } from './models/open-memory.ts';
import { Reminders } from './reminders/reminders.ts';
import { reminderTools } from './reminders/reminder-tools.ts';
import { seedUsers } from './seed-users.ts';
import { describeTasks } from './tasks/task-lines.ts';
import { taskTools } from './tasks/task-tools.ts';

/** Options of `Companion.open`. */
export interface CompanionOptions {
  /** Folder of all data and of `companion.yaml`. It is created. */
  folder: string;
  env: EnvVars;
  runtime: Runtime;
  /** Creates the channels of a configuration. Running channels with unchanged settings must be the same objects. */
  createChannels: (config: ChannelsConfig, running: readonly Channel[]) => Promise<readonly Channel[]>;
  /** Default: `chooseModels`. */
  createModels?: ((config: CompanionConfig) => Promise<Models>) | undefined;
  /** Default: `defaultMessagePolicy`. */
  messagePolicy?: MessagePolicy | undefined;
}

/** The companion: channels, people, one agent, and memory, with all data in one folder. */
export class Companion {
  readonly #options: CompanionOptions;
  readonly #configFile: ConfigFile;
  readonly #deliveryDatabase: ReturnType<typeof sqliteDatabase>;
  readonly #artifacts: DatabaseArtifactService;
  readonly #sessions: DatabaseSessionService;
  readonly identities: IdentityStore;
  readonly reminders: Reminders;
  readonly dispatcher: Dispatcher;
  #generation: Generation;
  /** Generations that conversations use. An old one is disposed of when no conversation uses it anymore. */
  readonly #usedGenerations = new Set<Generation>();
  #reload: Promise<void> = Promise.resolve();
  #growth: { growth: Growth; generation: Generation } | undefined;

  /** Opens the data of a folder. Throws `INVALID_INPUT` for a wrong `companion.yaml` or a missing key. */
  static async open(options: CompanionOptions): Promise<Companion> {
    const { env, folder, runtime } = options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    let companion: Companion | undefined;
    const onChange = (config: CompanionConfig): void => companion?.changeTo(config);
    const configFile = new ConfigFile({ path: join(folder, 'companion.yaml'), runtime, onChange });
    const config = configFile.current;
    const models = await (options.createModels?.(config) ?? chooseModels(config, { env, runtime }));
    const channels = await options.createChannels(config.channels, []);
    companion = new Companion(options, { channels, configFile, models });
    await seedUsers(config, { identities: companion.identities, logger: runtime.logger });
    return companion;
  }

  private constructor(
    options: CompanionOptions,
    p: { channels: readonly Channel[]; configFile: ConfigFile; models: Models },
  ) {
    const { folder, runtime } = options;
    const { channels, configFile, models } = p;
    const { current: config } = configFile;
    this.#options = options;
    this.#configFile = configFile;
    this.#sessions = new DatabaseSessionService({ dbUrl: this.#dbUrl, runtime });
    this.#artifacts = new DatabaseArtifactService({ dbUrl: this.#dbUrl, runtime });
    this.#deliveryDatabase = sqliteDatabase(join(folder, 'messages.db'));
    this.identities = new FileIdentityStore({ path: resolve(folder, config.usersFile), runtime });
    this.reminders = new Reminders({ sessions: this.#sessions, runtime, send: (note) => this.#remind(note) });
    this.#generation = this.#createGeneration(config, models);
    this.dispatcher = new Dispatcher({
      ...{ appName: APP_NAME, channels, identities: this.identities, sessions: this.#sessions, runtime },
      deliveries: new SqlDeliveryStore({ database: this.#deliveryDatabase }),
      createParts: () => {
        this.#usedGenerations.add(this.#generation);
        return this.#generation.parts;
      },
      unknownSenders: config.unknownSenders,
      commands: [
        {
          name: 'tasks',
          help: 'list your open tasks',
          run: ({ user }) => describeTasks(this.#sessions, { appName: APP_NAME, userId: user.id }),
        },
      ],
    });
  }

  get runtime(): Runtime {
    return this.#options.runtime;
  }
  get config(): CompanionConfig {
    return this.#generation.config;
  }
  get models(): Models {
    return this.#generation.models;
  }
  get sessions(): SessionService {
    return this.#sessions;
  }
  get memory(): MemoryService {
    return this.#generation.memory;
  }
  /** Answers open questions of conversations. The page uses it. */
  get runner(): Generation['parts']['runner'] {
    return this.#generation.parts.runner;
  }

  /** Proposes memories with the current model. */
  get growth(): Growth {
    const generation = this.#generation;
    if (this.#growth?.generation === generation) return this.#growth.growth;
    const { folder, runtime } = this.#options;
    const { memory, models } = generation;
    const growth = new Growth({
      ...{ appName: APP_NAME, sessions: this.#sessions, memory, llm: models.memory, runtime },
      folder: join(folder, 'grow'),
    });
    this.#growth = { growth, generation };
    return growth;
  }

  /** Starts channels and reminders, and watches the configuration. */
  async start(): Promise<void> {
    await this.dispatcher.start();
    this.reminders.start();
    this.#configFile.watch();
  }

  /** Reads `companion.yaml` now, and resolves when a change is in use. For tests: the file is also read at intervals. */
  async checkConfig(): Promise<void> {
    this.#configFile.check();
    this.#configFile.check();
    await this.#reload;
  }

  /** Uses new settings from the next message of each conversation on. If an error occurs, the old settings stay in use. */
  changeTo(config: CompanionConfig): void {
    this.#reload = this.#reload.then(() => this.#changeTo(config));
  }

  /** Deletes a user. With `data`, also conversations, memory, tasks, reminders and proposals. */
  async deleteUser(p: { userId: string; data?: boolean | undefined }): Promise<boolean> {
    const isDeleted = await this.dispatcher.deleteUser(p);
    if (!isDeleted || p.data !== true) return isDeleted;
    await this.reminders.deleteUser(p.userId);
    this.growth.deleteUser(p.userId);
    return true;
  }

  /** Stops all parts. Work that is not done continues at the next start. */
  async close(): Promise<void> {
    this.#configFile.close();
    await this.#reload;
    await this.dispatcher.close();
    await this.reminders.close();
    await this.#generation.dispose();
    await Promise.all([this.#sessions.close(), this.#artifacts.close(), this.#deliveryDatabase.close?.()]);
  }

  async #changeTo(config: CompanionConfig): Promise<void> {
    const { env, runtime } = this.#options;
    const { logger } = runtime;
    try {
      const models = await (this.#options.createModels?.(config) ?? chooseModels(config, { env, runtime }));
      const channels = await this.#options.createChannels(config.channels, this.dispatcher.channels);
      const old = this.#generation;
      await seedUsers(config, { identities: this.identities, logger });
      // First, because a channel may fail to start.
      await this.dispatcher.setChannels(channels);
      this.#generation = this.#createGeneration(config, models);
      // After `#generation` has changed: `onUnused` does not dispose of the current generation.
      this.dispatcher.reload();
      if (!this.#usedGenerations.has(old)) await old.dispose();
      if (old.config.usersFile !== config.usersFile || old.config.unknownSenders !== config.unknownSenders)
        logger.warn('A change of users_file or unknown_senders takes effect at the next start.');
      logger.info('The new configuration is in use.');
    } catch (error) {
      const reason = TholeError.is(error) ? error.message : 'An unexpected error occurred.';
      logger.error(`The new configuration is not in use. ${reason}`);
    }
  }

  #createGeneration(config: CompanionConfig, models: Models): Generation {
    const { env, runtime } = this.#options;
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const memory = openMemory(config.memory, { dbUrl: this.#dbUrl, embedder: models.embedder, env, runtime });
    const generation: Generation = createGeneration({
      onUnused: async () => {
        this.#usedGenerations.delete(generation);
        if (generation !== this.#generation) await generation.dispose();
      },
      ...{ config, models, memory, sessions: this.#sessions, artifacts: this.#artifacts, identities: this.identities },
      ...{ tools: this.#tools(), timeZone, runtime },
    });
    return generation;
  }

  #tools(): Tool[] {
    return [
      ...taskTools(),
      ...reminderTools({ reminders: this.reminders, channelOf: (id) => id.slice(id.indexOf(':') + 1) }),
      messageUserTool({
        identities: this.identities,
        send: async (request) => void (await this.dispatcher.send(request)),
        policy: this.#options.messagePolicy ?? defaultMessagePolicy,
        phoneChannel: () => this.dispatcher.channels.find(({ name }) => name === PHONE_CHANNEL)?.name,
      }),
    ];
  }

  /** Sends a reminder to its channel, or to another channel if the user is no longer on it. */
  async #remind(note: { userId: string; channel: string; text: string; idempotencyKey: string }): Promise<void> {
    const { channel, idempotencyKey, text, userId } = note;
    const request = { userId, message: `Reminder: ${text}`, idempotencyKey };
    try {
      await this.dispatcher.send({ ...request, channel });
    } catch (error) {
      if (!TholeError.is(error, 'INVALID_INPUT')) throw error;
      await this.dispatcher.send(request);
    }
  }

  get #dbUrl(): string {
    return `sqlite:///${join(resolve(this.#options.folder), 'companion.db').split(/[\\/]/).map(encodeURIComponent).join('/')}`;
  }
}
