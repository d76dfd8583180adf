import type { Channel } from '../channel/channel.ts';

/** Options of `HttpChannel`. */
export interface HttpChannelOptions {
  /** Default: `http`. */
  name?: string | undefined;
  /** Shared secrets of at least 32 characters. The first signs; all are accepted, so that secrets can change. */
  secrets: readonly string[];
  /** Where messages are posted to, signed. Default: none; then clients fetch them with `GET`. */
  callbackUrl?: string | undefined;
}

/** Signed webhook in, signed callback or long poll out. */
export declare class HttpChannel {
  constructor(options: HttpChannelOptions);
  /** Handles `POST` (a message) and `GET` (a long poll). Mount it in any HTTP server. */
  handle(request: Request): Promise<Response>;
}
export declare interface HttpChannel extends Channel {}
