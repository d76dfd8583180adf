export { createArtifactService, createMemoryService, createSessionService } from './create-services.ts';
export type { Closable, CreateServiceOptions } from './create-services.ts';
