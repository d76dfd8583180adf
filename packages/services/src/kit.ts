// Functions that the `thole` command uses. Not part of the public API: any release may change them.
export type { OpenService } from './backends/backend.ts';
export { Connections } from './connections.ts';
export { loadPackage } from './load-package.ts';
export { openService, schemesOf } from './open-service.ts';
export { databaseUrl } from './uri/database-url.ts';
export { readServiceUri, urlOfSqliteFile } from './uri/service-uri.ts';
