import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startAnthropicServer } from './anthropic-server.ts';
import { record } from './record.ts';

describe('record', () => {
  const folder = mkdtempSync(join(tmpdir(), 'thole-record-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('saves status, headers and bodies of the answers, without keys', async () => {
    const server = await startAnthropicServer({ name: 'text', pieces: ['Nine ', 'rooms.'], ending: 'stop' });
    try {
      await record(folder, { ANTHROPIC_API_KEY: 'sk-ant-do-not-save', ANTHROPIC_BASE_URL: server.url });
    } finally {
      await server.close();
    }
    const names = [
      'code-execution',
      'parallel-calls',
      'streamed-text',
      'structured-output',
      'text',
      'thinking',
      'web-search',
    ];
    expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.json`));
    const saved = JSON.parse(readFileSync(join(folder, 'streamed-text.json'), 'utf8')) as { body: string[] };
    expect(saved).toMatchObject({ status: 200, request: { path: '/v1/messages' } });
    expect(saved.body.join('')).toContain('event: message_stop');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('do-not-save');
  });
});
