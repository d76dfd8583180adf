import type { Role, UnknownSenders } from '@thole/channels';
import type { WhatsAppTemplate } from '@thole/channels/whatsapp';

/** Settings of the companion: the content of `companion.yaml` with all defaults filled in. */
export interface CompanionConfig {
  /** Model of the agent, such as `gemini/gemini-3.8-flash`. Undefined: the model of the key in the environment. */
  model: string | undefined;
  memory: MemoryConfig;
  sessions: SessionsConfig;
  /** People who are known from the start. Further ones are in the file of users. */
  users: readonly ConfiguredUser[];
  /** JSON file of users and their identities, relative to the data folder. */
  usersFile: string;
  unknownSenders: UnknownSenders;
  channels: ChannelsConfig;
}

/** The block `memory`. */
export interface MemoryConfig {
  enabled: boolean;
  autoIngest: boolean;
  recallLimit: number;
  preload: boolean;
  preloadLimit: number;
  /** Empty: the instructions of `@thole/memory`. */
  extractionInstructions: string;
  /** `gemini`, `openai`, `anthropic`, each with an optional `/<model>`. Undefined: the model of the agent. */
  llm: string | undefined;
  /** `gemini`, `openai`, each with an optional `/<model>`, or `none`. Undefined: Gemini if its key is set. */
  embedder: string | undefined;
  vectorStore: 'sqlite' | 'pgvector';
}

/** The block `sessions`. */
export interface SessionsConfig {
  windowTurns: number;
  idleConsolidateMinutes: number;
}

/** A person in `users`. */
export interface ConfiguredUser {
  id: string;
  name: string;
  role: Role;
  /** Senders by the names of their channels. */
  identities: Readonly<Record<string, string>>;
}

/** The block `channels`. A channel that is undefined is off. */
export interface ChannelsConfig {
  terminal: { sender: string } | undefined;
  http: { port: number; callbackUrl: string | undefined } | undefined;
  telegram: { allowGroups: boolean } | undefined;
  whatsapp: { phoneNumberId: string; port: number; template: WhatsAppTemplate | undefined } | undefined;
}
