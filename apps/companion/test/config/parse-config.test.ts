import { TholeError } from '@thole/core';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/parse-config.ts';

/** Returns the lines of the error of a file. */
function mistakesIn(text: string): string[] {
  try {
    parseConfig(text);
  } catch (error) {
    if (TholeError.is(error, 'INVALID_INPUT')) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('parseConfig', () => {
  it('returns all defaults for an empty file', () => {
    expect(parseConfig('')).toEqual({
      model: undefined,
      memory: {
        enabled: true,
        autoIngest: true,
        recallLimit: 5,
        preload: true,
        preloadLimit: 20,
        extractionInstructions: '',
        llm: undefined,
        embedder: undefined,
        vectorStore: 'sqlite',
      },
      sessions: { windowTurns: 30, idleConsolidateMinutes: 30 },
      users: [],
      usersFile: 'users.json',
      unknownSenders: 'refuse',
      channels: { terminal: { sender: 'me' }, http: undefined, telegram: undefined, whatsapp: undefined },
    });
    expect(parseConfig('# nothing yet\n')).toEqual(parseConfig(''));
  });

  it('reads every field', () => {
    const config = parseConfig(`
model: openai/gpt-5.5
memory:
  enabled: false
  auto_ingest: false
  recall_limit: 8
  preload: false
  preload_limit: 3
  extraction_instructions: Keep names only.
  llm: anthropic/claude-sonnet-5-5
  embedder: openai
  vector_store: pgvector
sessions:
  window_turns: 12
  idle_consolidate_minutes: 0.5
users_file: people/users.json
unknown_senders: approve
users:
  - id: ann
    name: Ann
    role: admin
    identities: { terminal: me, signal: '4711' }
  - id: bob
channels:
  terminal: false
  http: { port: 8100, callback_url: 'https://example.org/in' }
  telegram:
  whatsapp: { phone_number_id: '123', template: { name: hello, language: en } }
`);
    expect(config).toEqual({
      model: 'openai/gpt-5.5',
      memory: {
        enabled: false,
        autoIngest: false,
        recallLimit: 8,
        preload: false,
        preloadLimit: 3,
        extractionInstructions: 'Keep names only.',
        llm: 'anthropic/claude-sonnet-5-5',
        embedder: 'openai',
        vectorStore: 'pgvector',
      },
      sessions: { windowTurns: 12, idleConsolidateMinutes: 0.5 },
      users: [
        { id: 'ann', name: 'Ann', role: 'admin', identities: { terminal: 'me', signal: '4711' } },
        { id: 'bob', name: 'bob', role: 'user', identities: {} },
      ],
      usersFile: 'people/users.json',
      unknownSenders: 'approve',
      channels: {
        terminal: undefined,
        http: { port: 8_100, callbackUrl: 'https://example.org/in' },
        telegram: { allowGroups: false },
        whatsapp: { phoneNumberId: '123', port: 8_021, template: { name: 'hello', language: 'en' } },
      },
    });
  });

  it('reports line and column of every mistake, in order', () => {
    expect(
      mistakesIn(`memory:
  recall_limit: zero
  preload: "yes"
  colour: blue
sessions:
  window_turns: 0
  idle_consolidate_minutes: -1
unknown_senders: maybe
users:
  - name: Ann
  - { id: bob, identities: { Fax: '1' } }
  - { id: bob }
channel: {}
`),
    ).toEqual([
      'companion.yaml:2:17: memory.recall_limit must be an integer ≥ 1, got another string.',
      'companion.yaml:3:12: memory.preload must be true or false, got another string.',
      'companion.yaml:4:3: There is no field memory.colour. Fields here: enabled, auto_ingest, recall_limit, preload, preload_limit, extraction_instructions, llm, embedder, vector_store.',
      'companion.yaml:6:17: sessions.window_turns must be an integer ≥ 1, got another number.',
      'companion.yaml:7:29: sessions.idle_consolidate_minutes must be a number > 0, got another number.',
      'companion.yaml:8:18: unknown_senders must be refuse or approve or welcome, got another string.',
      'companion.yaml:10:5: users[0].id is missing.',
      'companion.yaml:11:30: users[1].identities.Fax must be the name of a channel.',
      'companion.yaml:12:11: users[2].id is the id of another user.',
      'companion.yaml:13:1: There is no field channel. Fields here: model, memory, sessions, users, users_file, unknown_senders, channels.',
    ]);
  });

  it.each([
    ['a list as the file', '- memory', ':1:1: The file must be a mapping'],
    ['invalid YAML', 'memory: [', ':1:10: The file is not valid YAML'],
    ['two documents', '---\nmemory:\n---\nsessions:\n', 'The file is not valid YAML'],
    ['the same field twice', 'memory:\nmemory:\n', ':2:1: memory is in the file twice.'],
    ['a field without a value', 'memory:\n  enabled:\n', ':2:3: memory.enabled must be true or false, got nothing.'],
    [
      'an alias',
      'model: &a openai/x\nusers_file: *a\n',
      ':2:13: users_file must be the path of a .json file, got an alias',
    ],
    ['a number as a sender', 'users: [{ id: a, identities: { telegram: 12 } }]', 'quote numbers, got another number'],
    [
      'an identity of two users',
      'users:\n- { id: a, identities: { http: x } }\n- { id: b, identities: { http: x } }',
      ':3:32: users[1].identities.http is an identity of another user.',
    ],
    [
      'an unknown channel',
      'channels: { fax: }',
      ':1:13: There is no field channels.fax. Fields here: terminal, http, telegram, whatsapp.',
    ],
    ['WhatsApp without its number', 'channels: { whatsapp: }', ':1:13: channels.whatsapp.phone_number_id is missing.'],
    [
      'half a template',
      "channels: { whatsapp: { phone_number_id: '1', template: { name: x } } }",
      'channels.whatsapp.template.language is missing.',
    ],
    ['a model without provider', 'model: gpt-5.5', ':1:8: model must be gemini/<name>'],
    ['a huge file', `# ${'x'.repeat(70_000)}`, ':1:1: The file is too long.'],
    [
      'a URL with a password',
      'channels: { http: { callback_url: "https://ann:4711@example.org" } }',
      'without user and password',
    ],
  ])('rejects %s', (_, text, message) => {
    expect(mistakesIn(text).join('\n')).toContain(message);
  });

  it.each([
    ['api_key', 'memory:\n  api_key: AIzaSyA-1234567890123456789012345\n', ':2:3: memory.api_key is not allowed'],
    ['token', 'channels:\n  telegram: { token: "123456:abc" }\n', ':2:15: channels.telegram.token is not allowed'],
    ['secret', 'channels:\n  http: { secret: hush }\n', ':2:11: channels.http.secret is not allowed'],
    ['model', 'model: sk-0123456789abcdef0123\n', ':1:8: model contains a secret'],
  ])('rejects a secret in the field %s, and does not contain it in the message', (_, text, message) => {
    const mistakes = mistakesIn(text).join('\n');
    expect(mistakes).toContain(message);
    expect(mistakes).toContain('environment');
    expect(mistakes).not.toMatch(/AIza|123456|hush|sk-0/);
  });
});
