import type { Runtime } from '@thole/core';

/** What a client waits with: a part of core's `Runtime`, so that a test's clock can stand in. */
export type ClientRuntime = Pick<Runtime, 'now' | 'random' | 'sleep' | 'timer'>;

/** Names of headers with their values. */
export type ClientHeaders = { readonly [name: string]: string };

/** How `createClient` reaches the server. */
export interface ClientOptions {
  /** Where the API's paths begin: `http://127.0.0.1:8000`, or in a browser a path such as `''` or `/api`. */
  baseUrl: string;
  /** Sent with every request; a function is asked before each, for tokens that change. */
  headers?: ClientHeaders | (() => ClientHeaders | Promise<ClientHeaders>) | undefined;
  /** Whether a browser sends cookies: its own rule (`same-origin`) unless told otherwise. */
  credentials?: 'omit' | 'same-origin' | 'include' | undefined;
  /** Instead of the platform's. */
  fetch?: ((address: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How long a call may take, and how long a run may take to begin (it may wait for another of its session): 60,000. `Infinity` is for ever. */
  timeoutMs?: number | undefined;
  /** A run's connection on which nothing comes for so long, not even a heartbeat, counts as cut: 60,000. */
  silenceMs?: number | undefined;
  /** What a run does about a cut. */
  reconnect?: ReconnectOptions | undefined;
  /** Instead of the platform's clock, timers and randomness. */
  runtime?: ClientRuntime | undefined;
}

/** How often and how soon a run's connection is taken up again. */
export interface ReconnectOptions {
  /**
   * Attempts before the run throws: 8; 0 is none. They are counted anew after a committed event, and after a connection on
   * which something came for `maxDelayMs`.
   */
  attempts?: number | undefined;
  /** Before the first attempt: 250; doubled each time, and a random part of up to half is taken off. */
  delayMs?: number | undefined;
  /** The longest that it grows to: 10,000. What the server asks for (`Retry-After`) is waited in any case. */
  maxDelayMs?: number | undefined;
}
