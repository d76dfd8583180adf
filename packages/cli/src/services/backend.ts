import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import type { Connections } from './connections.ts';
import type { ServiceUri } from './service-uri.ts';

/** What services are opened with. */
export interface OpenContext {
  cwd: string;
  runtime: Runtime;
  /** What services of one URI share. */
  connections: Connections;
  /** What the user typed, for messages. */
  option: string;
}

/** A service with what ends it, and a check that its store answers. */
export interface OpenService<S> {
  service: S;
  /** `STORE_UNAVAILABLE` where it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the service that a URI names; what it needs is loaded then and not before. */
export type Open<S> = (uri: ServiceUri, context: OpenContext) => Promise<OpenService<S>>;

/** What a place keeps, and how a service on it is opened. */
export interface Backend {
  readonly sessions?: Open<SessionService> | undefined;
  readonly artifacts?: Open<ArtifactService> | undefined;
  readonly memory?: Open<MemoryService> | undefined;
}

/** A service that lives in this process and needs no end. */
export function inProcess<S>(service: S): OpenService<S> {
  return { service, ping: async () => {}, close: async () => {} };
}
