import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startExampleServer } from '../../../scripts/example.mjs';
import { lines, talkByPipe } from './talk-by-pipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'thole-concierge-on-vertex-'));
let server: Awaited<ReturnType<typeof startExampleServer>>;
beforeAll(async () => void (server = await startExampleServer('vertex-services')));
afterAll(() => {
  server.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('conversations of the concierge on Vertex AI', () => {
  it('are listed and remembered by a later process', async () => {
    const env = { ...server.env, THOLE_DATA: folder, THOLE_SESSION_URL: 'agentengine://1234567890' };
    const first = await talkByPipe(lines('I prefer rooms on high floors.', '/sessions'), { env });
    expect(first).toMatchObject({ code: 0, errors: '' });
    const [id] = /\S+(?= {2}\(this one\))/.exec(first.output)!;
    const second = await talkByPipe(lines('Book me a room like last time.', '/sessions'), { env });
    expect(second).toMatchObject({ code: 0, errors: '' });
    expect(second.output).toContain('as you prefer (“rooms on high floors”)');
    expect(second.output).toContain(`2 events  ${id}`);
  });
});
