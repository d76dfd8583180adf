// Runs the published suites against the real services: `GOOGLE_CLOUD_PROJECT=… GOOGLE_CLOUD_LOCATION=us-central1 pnpm
// record vertex [words …]`, after `gcloud auth application-default login`. It creates Agent Engines and a RAG corpus and
// deletes them again; `VERTEX_BUCKET` also runs the suite of artifacts in that bucket. The results and one answer of each
// route go to `test/fixtures/recorded`, or to `RECORD_FOLDER`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordSuites } from './record-suites.ts';

const {
  GOOGLE_CLOUD_PROJECT: project,
  GOOGLE_CLOUD_LOCATION: location,
  VERTEX_BUCKET: bucket,
  RECORD_FOLDER: folder = join(import.meta.dirname, 'fixtures', 'recorded'),
} = process.env;

if (project && location) await record(project, location);
else {
  console.error('Nothing was recorded: set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION.');
  process.exitCode = 1;
}

async function record(projectId: string, locationId: string): Promise<void> {
  const { results, answers } = await recordSuites({
    ...{ project: projectId, location: locationId, bucket, words: process.argv.slice(2) },
    log: (line) => console.log(line),
  });
  mkdirSync(folder, { recursive: true });
  for (const [name, value] of Object.entries({ results, answers }))
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, undefined, 2)}\n`);
  for (const [suite, cases] of Object.entries(results)) {
    const all = Object.values(cases);
    console.log(`${suite}: ${all.filter((result) => result === 'passed').length} of ${all.length} passed`);
  }
}
