import type { ArtifactService, MemoryService, Runtime, SessionService } from '@thole/core';
import type { Connections } from '../connections.ts';
import type { ServiceUri } from '../uri/service-uri.ts';

/** Settings with which a service is opened. */
export interface OpenContext {
  /** Base folder of relative paths. */
  cwd: string;
  runtime: Runtime;
  /** Connections that services with the same URI share. */
  connections: Connections;
  /** Name of the URI in error messages: an option, a variable or an argument. */
  uriName: string;
}

/** An open service. */
export interface OpenService<S> {
  service: S;
  /** Resolves if the store answers. Throws `STORE_UNAVAILABLE` otherwise. */
  ping(): Promise<void>;
  /** Closes the connections of this service. Shared connections are closed by `OpenContext.connections`. */
  close(): Promise<void>;
}

/** Opens the service of a URI. Loads the packages of the service when it is called. */
export type OpenFunction<S> = (uri: ServiceUri, context: OpenContext) => Promise<OpenService<S>>;

/** Functions that open the services of one kind of URI. A missing function means that the service is not supported. */
export interface Backend {
  readonly sessions?: OpenFunction<SessionService> | undefined;
  readonly artifacts?: OpenFunction<ArtifactService> | undefined;
  readonly memory?: OpenFunction<MemoryService> | undefined;
}

/** Returns an open service for a service without connections. */
export function withoutConnections<S>(service: S): OpenService<S> {
  return { service, ping: async () => {}, close: async () => {} };
}
