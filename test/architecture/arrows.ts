/**
 * The imports that each package's `src` may have in addition to its own files, types included. Equals the table of
 * `docs/architecture.md`. A change is a decision and has a page in `docs/decisions`.
 */
export const arrows: Readonly<Record<string, readonly string[]>> = {
  thole: ['@thole/core', '@thole/runner', '@thole/tools', '@thole/mem-services'],
  core: [],
  runner: ['@thole/core', '@thole/tools', '@opentelemetry/api'],
  tools: ['@thole/core', '@cfworker/json-schema'],
  recall: ['@thole/core', 'stemmer', '@orama/stemmers', '@orama/stopwords'],
  memory: ['@thole/core', '@thole/recall'],
  auth: ['@thole/core', 'oauth4webapi', 'node:*'],
  mcp: ['@thole/core', '@thole/runner', '@modelcontextprotocol/client', '@modelcontextprotocol/server', 'node:*'],
  'mem-services': ['@thole/core', '@thole/recall', 'node:*'],
  'sql-services': ['@thole/core', '@thole/recall', 'kysely', 'pg', 'mysql2', 'sqlite-vec', 'node:*'],
  'redis-services': ['@thole/core', '@thole/recall', 'ioredis', 'node:*'],
  'vertex-services': ['@thole/core', '@thole/recall', 'google-auth-library', 'node:*'],
  's3-services': ['@thole/core', '@aws-sdk/client-s3'],
  'provider-gemini': ['@thole/core', '@google/genai', 'eventsource-parser', 'node:*'],
  'provider-openai': ['@thole/core', 'openai', 'node:*'],
  'provider-anthropic': [
    ...['@thole/core', '@anthropic-ai/sdk', '@anthropic-ai/bedrock-sdk', '@anthropic-ai/vertex-sdk', 'node:*'],
  ],
  'provider-ai-sdk': ['@thole/core'],
  replay: ['@thole/core', '@thole/runner', '@thole/mem-services', '@thole/testing', 'vitest', 'node:*'],
  server: ['@thole/core', '@thole/runner', 'hono', '@hono/node-server', 'zod', 'node:*'],
  client: ['@thole/core'],
  'dev-ui': ['@thole/client', 'node:*'],
  services: [
    ...['@thole/core', '@thole/mem-services', '@thole/sql-services', '@thole/redis-services'],
    ...['@thole/vertex-services', '@thole/s3-services', 'ioredis', 'node:*'],
  ],
  cli: [
    ...['@thole/core', '@thole/runner', '@thole/tools', '@thole/mem-services', '@thole/sql-services'],
    ...['@thole/services', '@thole/provider-gemini', '@thole/provider-openai', '@thole/server', '@thole/dev-ui'],
    ...['@thole/replay', '@thole/provider-anthropic', '@thole/mcp'],
    ...['@clack/prompts', 'chokidar', 'commander', 'node:*'],
  ],
  channels: ['@thole/core', '@thole/memory', '@thole/runner', '@thole/mem-services', 'grammy', 'marked', 'node:*'],
  testing: ['@thole/core', 'node:assert', 'node:http', 'node:net'],
};

/** Allowed imports of packages that are not in the table, by their names. Other packages must be added to the table. */
const ofKind: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^provider-/, ['@thole/core', 'node:*']],
  [/-(store|services)$/, ['@thole/core', '@thole/recall', 'node:*']],
];

/** Packages whose sources use no Node APIs. In `mem-services`, `/file` is an exception. */
export const portable: readonly string[] = ['core', 'runner', 'tools', 'recall', 'mem-services'];

/**
 * Returns the allowed imports. Undefined for a package without an entry. `ownDependencies` are third-party
 * dependencies of a new package.
 */
export function arrowsOf(folder: string, ownDependencies: readonly string[]): readonly string[] | undefined {
  if (Object.hasOwn(arrows, folder)) return arrows[folder];
  const kind = ofKind.find(([pattern]) => pattern.test(folder));
  return kind && [...kind[1], ...ownDependencies.filter((name) => !/^(@thole\/|thole$)/.test(name))];
}

/** True if a pattern equals the name, or ends in `*` and matches the beginning of the name. */
export function allows(patterns: readonly string[], name: string): boolean {
  return patterns.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name));
}
