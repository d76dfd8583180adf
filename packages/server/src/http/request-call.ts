import type { MaybePromise } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerOptions, Identity } from '../handler-options.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { PathParams, RouteCall } from '../route.ts';
import { authorizeRequest } from './authorize-request.ts';
import { findRunner } from './find-runner.ts';

type Hooks = Pick<HandlerOptions, 'authorize' | 'rateLimit'> | undefined;

/** A request to a route. The handler sets `body` and `query` after it has parsed them. */
export class RequestCall implements RouteCall {
  readonly context: HandlerContext;
  readonly request: Request;
  readonly params: PathParams;
  body: unknown;
  query: unknown;
  readonly #hooks: Hooks;

  constructor(context: HandlerContext, p: { request: Request; params: PathParams; hooks: Hooks }) {
    this.context = context;
    this.request = p.request;
    this.params = p.params;
    this.#hooks = p.hooks;
  }

  get runner(): Runner {
    return findRunner(this.context, this.params.app);
  }

  authorize(identity: Identity): MaybePromise<void> {
    return this.#hooks && authorizeRequest(this.#hooks, this.request, identity);
  }

  authorizeAgain(identity: Identity): MaybePromise<void> {
    const { authorize } = this.#hooks ?? {};
    return authorize && authorizeRequest({ authorize }, this.request, identity);
  }
}
