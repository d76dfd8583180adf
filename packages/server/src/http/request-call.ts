import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { MaybePromise } from '@thole/core';
import type { Runner } from '@thole/runner';
import type { HandlerOptions, Identity } from '../handler-options.ts';
import type { HandlerContext } from '../handler-context.ts';
import type { PathParams, RouteCall, UserlessIdentity } from '../route.ts';
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
  answeredBy: string | undefined;
  authorizedUserId: string | undefined;
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
    return this.#hooks && this.#authorizeSameUser(this.#hooks, identity);
  }

  authorizeAgain(identity: Identity): MaybePromise<void> {
    const { authorize } = this.#hooks ?? {};
    return authorize && this.#authorizeSameUser({ authorize }, identity);
  }

  async authorizeUser({ bodyUserId, ...identity }: UserlessIdentity): Promise<string> {
    const userId = bodyUserId ?? readUserId(this.request) ?? 'user';
    assertName('The user id', userId);
    const authorizedUserId = this.#hooks && (await this.#authorize(this.#hooks, { ...identity, userId }));
    if (authorizedUserId !== undefined && bodyUserId !== undefined && authorizedUserId !== bodyUserId)
      throw wrongUser();
    return authorizedUserId ?? userId;
  }

  async #authorizeSameUser(hooks: NonNullable<Hooks>, identity: Identity): Promise<void> {
    const userId = await this.#authorize(hooks, identity);
    if (userId !== undefined && identity.userId !== undefined && userId !== identity.userId) throw wrongUser();
  }

  /** Returns the user that `authorize` returns. */
  async #authorize(hooks: NonNullable<Hooks>, identity: Identity): Promise<string | undefined> {
    const { userId, answeredBy } = await authorizeRequest(hooks, this.request, identity);
    this.answeredBy = answeredBy ?? this.answeredBy;
    this.authorizedUserId = userId ?? this.authorizedUserId;
    return userId;
  }
}

function wrongUser(): TholeError {
  return new TholeError('FORBIDDEN', 'The request must name the authenticated user, or no user.');
}

/** Returns the user id in `?userId=` or in the header `x-user-id`. */
function readUserId(request: Request): string | undefined {
  return new URL(request.url).searchParams.get('userId') ?? request.headers.get('x-user-id') ?? undefined;
}
