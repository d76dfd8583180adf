import type { JsonObject, MaybePromise } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { ZodType } from 'zod';
import type { Action, Identity } from './handler-options.ts';
import type { HandlerContext } from './handler-context.ts';

/**
 * A route of the API. The handler serves it, and `/openapi.json` documents it. Paths are Hono's patterns. `:app`,
 * `:user` and `:session` are validated as names and passed to `authorize` before the body is read.
 */
export interface Route<Body = unknown, Query = unknown> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The first path is the documented one; the others are deprecated. */
  readonly paths: readonly [string, ...string[]];
  readonly summary: string;
  /** Group of the route in the documentation. */
  readonly tag: string;
  /**
   * `open` routes are never authorized. `body` routes call `call.authorize` themselves, because their body names the user. By
   * default, the handler authorizes the app and user in the path.
   */
  readonly access?: 'open' | 'body' | undefined;
  /** Action that `authorize` receives. Default: `read` for GET, `delete` for DELETE, otherwise `write`. */
  readonly action?: Action | undefined;
  /** Schema of the body. An empty body is parsed as `undefined`. Without a schema, the body is not read. */
  readonly body?: ZodType<Body> | undefined;
  /** True if the keys of the body must not be changed to camelCase. */
  readonly keepKeys?: boolean | undefined;
  readonly query?: ZodType<Query> | undefined;
  /** Query parameters that may occur several times. They are parsed as lists. */
  readonly repeatable?: readonly string[] | undefined;
  /** Descriptions of the responses by status. */
  readonly responses: { readonly [status: number]: string };
  /** Schema of the JSON of a response with status 200, for the documentation. */
  readonly returns?: JsonObject | undefined;
  handle(call: RouteCall<Body, Query>): MaybePromise<Response>;
}

/** A request to a route, with its parsed parameters. */
export interface RouteCall<Body = unknown, Query = unknown> {
  readonly context: HandlerContext;
  readonly request: Request;
  readonly params: PathParams;
  readonly body: Body;
  readonly query: Query;
  /** The runner of the app in the path. Throws `NOT_FOUND` for an unknown app. */
  readonly runner: Runner;
  /** The name of the person who sends the request, if `authorize` has returned one. */
  readonly answeredBy: string | undefined;
  /** The authenticated user, if `authorize` has returned one. */
  readonly authorizedUserId: string | undefined;
  /** Calls `authorize` and `rateLimit`. Throws an error or a `Response` if the request is rejected. */
  authorize(identity: Identity): MaybePromise<void>;
  /** Calls only `authorize`, after `authorize()` has accepted the request. */
  authorizeAgain(identity: Identity): MaybePromise<void>;
  /**
   * Returns the user of a request whose path has no user, after `authorize` and `rateLimit` have accepted the request. This is
   * the user that `authorize` returns, otherwise the user in the body, in `?userId=` or in the header `x-user-id`, otherwise
   * `user`. Throws `FORBIDDEN` if the user in the body differs from the user that `authorize` returns.
   */
  authorizeUser(identity: UserlessIdentity): Promise<string>;
}

/** An identity without its user. `bodyUserId` is the user in the body. */
export interface UserlessIdentity extends Omit<Identity, 'userId'> {
  readonly bodyUserId?: string | undefined;
}

/**
 * The decoded parameters of a path. `app`, `user` and `session` are empty if the path does not have them. `name` is the
 * name of an artifact, `path` the path of a file of the page.
 */
export interface PathParams {
  readonly app: string;
  readonly user: string;
  readonly session: string;
  readonly [name: string]: string;
}

/** Returns the action of a route, which `authorize` receives. */
export function actionOf({ action, method }: Pick<Route, 'action' | 'method'>): Action {
  if (action) return action;
  if (method === 'GET') return 'read';
  return method === 'DELETE' ? 'delete' : 'write';
}

/** Infers the types of a route's body and query from its schemas. */
export function defineRoute<Body = unknown, Query = unknown>(route: Route<Body, Query>): Route {
  return route as unknown as Route;
}
