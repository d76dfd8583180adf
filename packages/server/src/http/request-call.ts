import type { MaybePromise } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerOptions, Identity } from '../handler-options.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { Names, RouteCall } from '../route.ts';
import { permit } from './permit.ts';
import { runnerNamed } from './runner-named.ts';

/** What is asked before a request goes on, if anyone asks. */
type Hooks = Pick<HandlerOptions, 'authorize' | 'rateLimit'> | undefined;

/** A request to a route while it is read and checked. */
export class RequestCall implements RouteCall {
  readonly house: HandlerContext;
  readonly request: Request;
  readonly names: Names;
  body: unknown;
  query: unknown;
  readonly #hooks: Hooks;

  constructor(house: HandlerContext, p: { request: Request; names: Names; hooks: Hooks }) {
    this.house = house;
    this.request = p.request;
    this.names = p.names;
    this.#hooks = p.hooks;
  }

  get runner(): Runner {
    return runnerNamed(this.house, this.names.app);
  }

  permit(identity: Identity): MaybePromise<void> {
    return this.#hooks && permit(this.#hooks, this.request, identity);
  }
}
