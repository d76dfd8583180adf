import type { Backend } from './backend.ts';
import { withoutConnections } from './backend.ts';
import { folderOf } from '../uri/service-uri.ts';

/** Services of `file://`: artifacts as files in a folder. */
export const folderBackend: Backend = {
  async artifacts(uri, { cwd, runtime, uriName }) {
    const { FileArtifactService } = await import('@thole/mem-services/file');
    return withoutConnections(new FileArtifactService({ rootDir: folderOf(uri, uriName, cwd), runtime }));
  },
};
