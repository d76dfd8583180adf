// A separate process that saves one file twenty times and prints the versions.
import { FileArtifactService } from '@thole/mem-services/file';

const service = new FileArtifactService({ rootDir: process.argv[2]! });
const ref = { appName: 'app', userId: 'u', sessionId: 's', filename: 'shared' };
const saves = Array.from({ length: 20 }, () =>
  service.saveArtifact({ ...ref, artifact: { text: String(process.pid) } }),
);
console.log(JSON.stringify(await Promise.all(saves)));
