import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GoogleServer } from './google-server/google-server.ts';
import { recordSuites } from './record-suites.ts';
import type { Recording } from './record-suites.ts';

let server: GoogleServer;
beforeAll(async () => void (server = await GoogleServer.start()));
afterAll(() => server.close());

const lines: string[] = [];

function record(...words: string[]): Promise<Recording> {
  const place = { project: 'my-hotel', location: 'us-central1', bucket: 'recorded' };
  return recordSuites({ ...place, ...server.options, words, log: (line) => void lines.push(line) });
}

describe('pnpm record vertex', () => {
  it('runs the cases of each suite in resources that it creates and deletes', async () => {
    const { results } = await record('create.', 'names.odd-appName', 'add.', 'expiry.', 'ingest.', 'artifact.bytes');
    expect(Object.keys(results)).toEqual(['sessions', 'memory bank', 'rag memory', 'artifacts']);
    expect(lines.filter((line) => line.includes('failed')).map((line) => line.split(':')[0])).toEqual([
      'sessions create.same-id-elsewhere',
    ]);
    expect(results['sessions']!['create.same-id-elsewhere']).toContain(
      '(Session ids of Vertex AI are unique in an engine, across its users)',
    );
    expect(results['memory bank']!['expiry.unseen']).toBe('passed');
    expect(results['memory bank']!['ingest.grown']).toBe(
      'not run: Google’s models choose the words of ingested memories',
    );
    expect(results['rag memory']!['ingest.grown']).toBe('passed');
    expect(results['rag memory']!['add.again']).toBe('not run: needs addMemory, listMemories');
    expect(server.resources.names()).toEqual([]);
  });

  it('keeps one answer of each route without the names of the project', async () => {
    const { answers } = await record('sessions create.empty');
    expect(answers.map(({ route, status }) => `${route} ${status}`)).toContain(
      'POST /v1beta1/projects/*/locations/*/reasoningEngines/*/sessions 200',
    );
    expect(JSON.stringify(answers)).not.toMatch(/my-hotel|ya29|Bearer/);
  });
});
