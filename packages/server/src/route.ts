import type { JsonObject, MaybePromise } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { ZodType } from 'zod';
import type { Identity } from './handler-options.ts';
import type { HandlerContext } from './handler-context.ts';

/**
 * One row of the API. It is data: the handler serves it, `/openapi.json` tells it. Paths are Hono's patterns; `:app`, `:user` and
 * `:session` are checked as names, and decided about by `authorize`, before the body is read.
 */
export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The first is the one that documents name. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  /** Groups routes in documents. */
  readonly tag: string;
  /** `open` routes are not asked about; `body` routes ask themselves (`call.permit`), because the body says for whom. */
  readonly access?: 'open' | 'body' | undefined;
  /** Absent: the body is not read. A body that is missing is parsed as `undefined`. */
  readonly body?: ZodType<Body> | undefined;
  /** The body is a map of the client's own names, and they are taken as they came. */
  readonly keepsKeys?: boolean | undefined;
  readonly query?: ZodType<Query> | undefined;
  /** What is answered, by status. */
  readonly answers: { readonly [status: number]: string };
  /** The schema of the JSON that is answered with 200, for documents. */
  readonly returns?: JsonObject | undefined;
  handle(call: RouteCall<Body, Query>): MaybePromise<Response>;
}

/** One request to a route, with what was checked already. */
export interface RouteCall<Body = unknown, Query = unknown> {
  readonly house: HandlerContext;
  readonly request: Request;
  /** What the path names, decoded; empty for what the route's path has not. */
  readonly names: Names;
  readonly body: Body;
  readonly query: Query;
  /** The app of the path; `NOT_FOUND` where there is none of that name. */
  readonly runner: Runner;
  /** Asks `authorize` and `rateLimit`; throws what answers the request if it may not go on. */
  permit(identity: Identity): MaybePromise<void>;
}

/** `name` is an artifact's, `version`, `event`, `invocation`, `id` what they say, `path` the rest of a page's address. */
export interface Names {
  readonly app: string;
  readonly user: string;
  readonly session: string;
  readonly [name: string]: string;
}

/** Types a route's handler by its schemas. */
export function route<Body = unknown, Query = unknown>(row: Route<Body, Query>): Route {
  return row as unknown as Route;
}
