import { systemRuntime } from '@thole/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { S3Server } from '../../../packages/s3-services/test/s3-server.ts';
import { GoogleServer } from '../../../packages/vertex-services/test/google-server/google-server.ts';
import { openDatabase } from '../src/open-database.ts';
import { folderForTest } from './folder-for-test.ts';
import { serveAsProcess } from './serve-as-process.ts';
import { lines, talkByPipe } from './talk-by-pipe.ts';

let server: GoogleServer;
let google: { readonly [name: string]: string };
beforeAll(async () => {
  server = await GoogleServer.start();
  server.isEmulator = true;
  google = {
    GOOGLE_CLOUD_PROJECT: 'hotel',
    GOOGLE_CLOUD_LOCATION: 'us-central1',
    GOOGLE_VERTEX_BASE_URL: server.url,
    GOOGLE_APPLICATION_CREDENTIALS: '',
    CLOUDSDK_CONFIG: '/nonexistent',
    GCE_METADATA_HOST: new URL(server.url).host,
    METADATA_SERVER_DETECTION: 'assume-present',
    STORAGE_EMULATOR_HOST: server.url,
  };
});
afterAll(() => server.close());

describe('conversations of the concierge on Vertex AI', () => {
  it('are listed and remembered by a later process', async () => {
    const env = { ...google, THOLE_DATA: folderForTest(), THOLE_SESSION_URL: 'agentengine://1234567890' };
    const first = await talkByPipe(lines('I prefer rooms on high floors.', '/sessions'), { env });
    expect(first).toMatchObject({ code: 0, errors: '' });
    const [id] = /\S+(?= {2}\(this one\))/.exec(first.output)!;
    const second = await talkByPipe(lines('Book me a room like last time.', '/sessions'), { env });
    expect(second).toMatchObject({ code: 0, errors: '' });
    expect(second.output).toContain('as you prefer (“rooms on high floors”)');
    expect(second.output).toContain(`2 events  ${id}`);
  });

  it('are remembered in Memory Bank, and files are stored in Cloud Storage', async () => {
    const engine = 'agentengine://2234567890';
    const env = {
      ...{ ...google, THOLE_SESSION_URL: engine, THOLE_MEMORY_URL: engine, THOLE_MEMORY_DAYS: '365' },
      THOLE_ARTIFACT_URL: 'gs://concierge-files/guests',
    };
    const first = await talkByPipe(lines('I prefer rooms on high floors.'), { env });
    const warning = 'The memory service does not support: THOLE_MEMORY_DAYS.';
    expect(first).toMatchObject({ code: 0, errors: expect.stringContaining(warning) });
    expect(first.errors.trimEnd().split('\n')).toHaveLength(1);
    const second = await talkByPipe(lines('Book me a room like last time.', '/memory', '/forget', 'yes'), { env });
    expect(second.code).toBe(0);
    expect(second.output).toContain('as you prefer (“rooms on high floors”)');
    expect(second.output).toMatch(/Forgotten: .* memor/);

    const page = await serveAsProcess({ env });
    expect(await page.say('Hello!', { session: 'with-a-file', file: 'Passport of Ada' })).not.toBe('');
    expect(await page.end()).toBe(0);
    const names = server.storage.namesIn('concierge-files');
    expect(names).toEqual([expect.stringMatching(/^guests\/hotel\/user\/with-a-file\/passport\.txt\/0$/)]);
  });

  it('are remembered in a RAG corpus, and its unsupported features are logged', async () => {
    const env = { ...google, THOLE_DATA: folderForTest(), THOLE_MEMORY_URL: 'rag://5' };
    const first = await talkByPipe(lines('I prefer rooms on high floors.'), { env });
    expect(first.code).toBe(0);
    expect(first.errors).toContain(
      'The memory service does not support: messages before the end of the conversation, /remember, /memory without a query, /forget <number>.',
    );
    expect(first.errors.trimEnd().split('\n')).toHaveLength(1);
    const commands = lines('/remember I am Ada.', '/memory', '/memory high floors', '/forget 1', '/forget', 'yes');
    const second = await talkByPipe(lines('Book me a room like last time.') + commands, { env });
    expect(second.code).toBe(0);
    expect(second.output).toContain('as you prefer (“rooms on high floors”)');
    for (const sentence of [
      'The memory service cannot store single facts. It remembers conversations.',
      'The memory service cannot list memories. Write /memory <query> to search them.',
      '1. user: I prefer rooms on high floors.',
      'The memory service cannot delete single memories. /forget deletes all of them.',
    ])
      expect(second.output).toContain(sentence);
    expect(second.output).toMatch(/Forgotten: .* memor/);
  });
});

describe('openDatabase', () => {
  it.each([
    ['THOLE_SESSION_URL', 'rag://5'],
    ['THOLE_MEMORY_URL', 'gs://bucket'],
    ['THOLE_ARTIFACT_URL', 'rag://5'],
  ])('rejects %s=%s', async (name, url) => {
    const env = { ...google, THOLE_DATA: folderForTest(), [name]: url };
    await expect(openDatabase({ runtime: systemRuntime(), env })).rejects.toThrow(`${name} must be `);
  });

  it('opens artifacts in S3 with region and endpoint of the URL', async () => {
    const s3 = await S3Server.start();
    onTestFinished(() => s3.close());
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIATEST').stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    onTestFinished(() => void vi.unstubAllEnvs());
    const url = `s3://files/guests?region=eu-west-1&endpoint=${s3.url}`;
    const env = { THOLE_DATA: folderForTest(), THOLE_ARTIFACT_URL: url };
    const { artifactService, close } = await openDatabase({ runtime: systemRuntime(), env });
    const file = { appName: 'hotel', userId: 'ada', sessionId: 's1', filename: 'note.txt', artifact: { text: 'one' } };
    await artifactService!.saveArtifact(file);
    await close();
    expect([...s3.buckets.get('files')!.keys()]).toEqual(['guests/hotel/ada/s1/note.txt/0']);
  });
});
