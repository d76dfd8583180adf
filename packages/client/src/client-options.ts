import type { Runtime } from '@thole/core';

/** The part of core's `Runtime` that a client uses. Tests can pass a fixed clock. */
export type ClientRuntime = Pick<Runtime, 'now' | 'random' | 'sleep' | 'timer'>;

/** Names of headers with their values. */
export type ClientHeaders = { readonly [name: string]: string };

/** Options of `createClient`. */
export interface ClientOptions {
  /**
   * URL at which the paths of the API start: `http://127.0.0.1:8000`, or in a browser a path such as `''` or `/api`.
   */
  baseUrl: string;
  /** Headers of every request. A function is called before each request, for tokens that change. Default: none. */
  headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>) | undefined;
  /** Sets whether a browser sends cookies. Default: the browser's, `same-origin`. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Sends requests. Default: the platform's `fetch`. */
  fetch?: ((address: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Time limit in milliseconds of a call, and of the start of a run. A run may wait for another run of its session before it
   * starts. `Infinity` means no limit. Default: 60,000.
   */
  timeoutMs?: number | undefined;
  /**
   * Time in milliseconds after which a run's connection is treated as lost if no data arrives. Heartbeats count as data. Default:
   * 60,000.
   */
  idleTimeoutMs?: number | undefined;
  /** Attempts to reconnect a run after its connection was lost. */
  reconnect?: ReconnectOptions | undefined;
  /** Clock, timers and randomness. Default: the platform's. */
  runtime?: ClientRuntime | undefined;
}

/** Number and delays of the attempts to reconnect a run. */
export interface ReconnectOptions {
  /**
   * Maximum number of attempts before the run throws; 0 disables them. The count starts again after each stored event,
   * and after a connection that received data for `maxDelayMs`. Default: 8.
   */
  attempts?: number | undefined;
  /**
   * Delay before the first attempt in milliseconds. It doubles with each attempt, and a random part of up to half is
   * subtracted. Default: 250.
   */
  delayMs?: number | undefined;
  /** Maximum delay in milliseconds. A longer `Retry-After` of the server is respected. Default: 10,000. */
  maxDelayMs?: number | undefined;
}
