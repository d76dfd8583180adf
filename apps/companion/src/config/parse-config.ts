import { TholeError } from '@thole/core';
import { isScalar, LineCounter, parseDocument } from 'yaml';
import type { Node } from 'yaml';
import type {
  ChannelsConfig,
  CompanionConfig,
  ConfiguredUser,
  MemoryConfig,
  SessionsConfig,
} from './companion-config.ts';
import { NodeReader } from './node-reader.ts';
import type { Mistake } from './node-reader.ts';

/** Maximum size of the file in characters. */
const MAX_LENGTH = 65_536;

const MODEL = {
  pattern: /^(gemini|openai|anthropic)\/\S+$/,
  expected: 'gemini/<name>, openai/<name> or anthropic/<name>',
};
const MEMORY_LLM = {
  pattern: /^(gemini|openai|anthropic)(\/\S+)?$/,
  expected: 'gemini, openai or anthropic, with an optional /<name>',
};
const EMBEDDER = {
  pattern: /^(none|(gemini|openai)(\/\S+)?)$/,
  expected: 'gemini or openai, with an optional /<name>, or none',
};
const USER_ID = { pattern: /^[a-z0-9][a-z0-9-]*$/, expected: 'lower-case letters, digits and -' };
const FILE_NAME = { pattern: /^[^\0]+\.json$/, expected: 'the path of a .json file' };
const CHANNEL_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const SENDER = { pattern: /^\P{C}{1,200}$/u, expected: 'a string of 1 to 200 characters; quote numbers' };

/**
 * Returns the settings of a `companion.yaml`, with the defaults of all missing fields. Throws `INVALID_INPUT` with one line per
 * mistake: `companion.yaml:3:17: memory.recall_limit must be an integer ≥ 1, got another string.`
 */
export function parseConfig(text: string, file: string = 'companion.yaml'): CompanionConfig {
  if (text.length > MAX_LENGTH) throw invalid(file, [{ line: 1, column: 1, message: 'The file is too long.' }]);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const reader = new NodeReader(lines);
  for (const { pos, code } of [...document.errors, ...document.warnings])
    reader.reportAt(pos[0], `The file is not valid YAML (${code}).`);
  if (reader.mistakes.length > 0) throw invalid(file, reader.mistakes);
  const config = readConfig(reader, document.contents as Node | null);
  if (reader.mistakes.length > 0) throw invalid(file, reader.mistakes);
  return config;
}

function invalid(file: string, mistakes: readonly Mistake[]): TholeError {
  const sorted = mistakes.toSorted((a, b) => a.line - b.line || a.column - b.column);
  const text = sorted.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
  return new TholeError('INVALID_INPUT', text.join('\n'));
}

function readConfig(reader: NodeReader, root: Node | null): CompanionConfig {
  const fields = reader.fields(root, '', [
    ...['model', 'memory', 'sessions', 'users', 'users_file', 'unknown_senders', 'channels'],
  ]);
  return {
    model: reader.text(fields.get('model'), 'model', undefined, MODEL),
    memory: readMemory(reader, fields.get('memory')?.value),
    sessions: readSessions(reader, fields.get('sessions')?.value),
    users: readUsers(reader, reader.list(fields.get('users'), 'users')),
    usersFile: reader.text(fields.get('users_file'), 'users_file', 'users.json', FILE_NAME),
    unknownSenders: reader.choice(fields.get('unknown_senders'), 'unknown_senders', 'refuse', [
      ...(['refuse', 'approve', 'welcome'] as const),
    ]),
    channels: fields.has('channels') ? readChannels(reader, fields.get('channels')!.value) : TERMINAL_ONLY,
  };
}

function readMemory(reader: NodeReader, node: Node | null | undefined): MemoryConfig {
  const fields = reader.fields(node, 'memory', [
    ...['enabled', 'auto_ingest', 'recall_limit', 'preload', 'preload_limit', 'extraction_instructions'],
    ...['llm', 'embedder', 'vector_store'],
  ]);
  return {
    enabled: reader.boolean(fields.get('enabled'), 'memory.enabled', true),
    autoIngest: reader.boolean(fields.get('auto_ingest'), 'memory.auto_ingest', true),
    recallLimit: reader.count(fields.get('recall_limit'), 'memory.recall_limit', 5),
    preload: reader.boolean(fields.get('preload'), 'memory.preload', true),
    preloadLimit: reader.count(fields.get('preload_limit'), 'memory.preload_limit', 20),
    extractionInstructions: reader.text(fields.get('extraction_instructions'), 'memory.extraction_instructions', ''),
    llm: reader.text(fields.get('llm'), 'memory.llm', undefined, MEMORY_LLM),
    embedder: reader.text(fields.get('embedder'), 'memory.embedder', undefined, EMBEDDER),
    vectorStore: reader.choice(fields.get('vector_store'), 'memory.vector_store', 'sqlite', ['sqlite', 'pgvector']),
  };
}

function readSessions(reader: NodeReader, node: Node | null | undefined): SessionsConfig {
  const fields = reader.fields(node, 'sessions', ['window_turns', 'idle_consolidate_minutes']);
  const idle = fields.get('idle_consolidate_minutes');
  return {
    windowTurns: reader.count(fields.get('window_turns'), 'sessions.window_turns', 30),
    idleConsolidateMinutes: reader.positive(idle, 'sessions.idle_consolidate_minutes', 30),
  };
}

function readUsers(reader: NodeReader, nodes: readonly Node[]): ConfiguredUser[] {
  const ids = new Set<string>();
  const senders = new Set<string>();
  return nodes.map((node, i) => {
    const path = `users[${i}]`;
    const fields = reader.fields(node, path, ['id', 'name', 'role', 'identities']);
    if (!fields.has('id')) reader.report(node, `${path}.id is missing.`);
    const id = reader.text(fields.get('id'), `${path}.id`, '', USER_ID);
    if (ids.has(id)) reader.report(fields.get('id')?.value, `${path}.id is the id of another user.`);
    ids.add(id);
    const identities = readIdentities(reader, fields.get('identities')?.value, `${path}.identities`, senders);
    return {
      id,
      name: reader.text(fields.get('name'), `${path}.name`, id, SENDER),
      role: reader.choice(fields.get('role'), `${path}.role`, 'user', ['admin', 'user', 'guest']),
      identities,
    };
  });
}

function readIdentities(
  reader: NodeReader,
  node: Node | null | undefined,
  path: string,
  taken: Set<string>,
): Readonly<Record<string, string>> {
  const fields = reader.fields(node, path, 'any');
  return Object.fromEntries(
    Array.from(fields, ([channel, field]) => {
      if (!CHANNEL_NAME.test(channel)) reader.report(field.key, `${path}.${channel} must be the name of a channel.`);
      const sender = reader.text(field, `${path}.${channel}`, '', SENDER);
      const key = JSON.stringify([channel, sender]);
      if (taken.has(key)) reader.report(field.value, `${path}.${channel} is an identity of another user.`);
      taken.add(key);
      return [channel, sender];
    }),
  );
}

const CHANNELS = ['terminal', 'http', 'telegram', 'whatsapp'] as const;
const TERMINAL_ONLY: ChannelsConfig = {
  terminal: { sender: 'me' },
  http: undefined,
  telegram: undefined,
  whatsapp: undefined,
};
const PHONE_NUMBER_ID = { pattern: /^\d{1,32}$/, expected: 'digits in quotes' };
const HTTP_URL = {
  pattern: /^https?:\/\/[^\s@/?#]+([/?#]\S*)?$/,
  expected: 'an http or https URL without user and password',
};

function readChannels(reader: NodeReader, node: Node | null | undefined): ChannelsConfig {
  const channels = reader.fields(node, 'channels', CHANNELS);
  /** Reads the settings of a channel. `false` turns it off. */
  const read = <T>(
    name: (typeof CHANNELS)[number],
    names: readonly string[],
    make: (fields: Fields) => T,
  ): T | undefined => {
    const field = channels.get(name);
    if (!field || (isScalar(field.value) && field.value.value === false)) return undefined;
    return make(reader.fields(field.value, `channels.${name}`, names));
  };
  return {
    terminal: read('terminal', ['sender'], (fields) => ({
      sender: reader.text(fields.get('sender'), 'channels.terminal.sender', 'me', SENDER),
    })),
    http: read('http', ['port', 'callback_url'], (fields) => ({
      port: reader.port(fields.get('port'), 'channels.http.port', 8_020),
      callbackUrl: reader.text(fields.get('callback_url'), 'channels.http.callback_url', undefined, HTTP_URL),
    })),
    telegram: read('telegram', ['allow_groups'], (fields) => ({
      allowGroups: reader.boolean(fields.get('allow_groups'), 'channels.telegram.allow_groups', false),
    })),
    whatsapp: read('whatsapp', ['phone_number_id', 'port', 'template'], (fields) => {
      const id = fields.get('phone_number_id');
      if (!id) reader.report(channels.get('whatsapp')?.key, 'channels.whatsapp.phone_number_id is missing.');
      return {
        phoneNumberId: reader.text(id, 'channels.whatsapp.phone_number_id', '', PHONE_NUMBER_ID),
        port: reader.port(fields.get('port'), 'channels.whatsapp.port', 8_021),
        template: fields.has('template') ? readTemplate(reader, fields.get('template')!.value) : undefined,
      };
    }),
  };
}

/** Reads the template with which people are reached who have not written for 24 hours. */
function readTemplate(reader: NodeReader, node: Node | null): { name: string; language: string } {
  const path = 'channels.whatsapp.template';
  const fields = reader.fields(node, path, ['name', 'language']);
  for (const name of ['name', 'language']) if (!fields.has(name)) reader.report(node, `${path}.${name} is missing.`);
  return {
    name: reader.text(fields.get('name'), `${path}.name`, '', SENDER),
    language: reader.text(fields.get('language'), `${path}.language`, '', SENDER),
  };
}

type Fields = ReturnType<NodeReader['fields']>;
