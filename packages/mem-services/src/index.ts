export { InMemoryArtifactService } from './in-memory-artifact-service.ts';
export { InMemoryArtifactStore } from './in-memory-artifact-store.ts';
export { InMemorySessionService } from './in-memory-session-service.ts';
export { InMemorySessionStore } from './in-memory-session-store.ts';
export { InMemoryMemoryService } from './in-memory-memory-service.ts';
export type { InMemoryMemoryServiceOptions } from './in-memory-memory-service.ts';
export { InMemoryMemoryStore } from './in-memory-memory-store.ts';
export { VectorMemoryService } from './vector-memory-service.ts';
export type { VectorMemoryServiceOptions } from './vector-memory-service.ts';
