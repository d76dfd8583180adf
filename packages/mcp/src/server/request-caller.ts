import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { Interrupt } from '@thole/core';
import { validateHostHeader } from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { AgentServerOptions, Caller, CallIdentity } from './agent-server-options.ts';

/** The verified token and the network address of a request. */
export interface RequestSource {
  /** A token that the caller of `fetch` has verified. It names the user. */
  authInfo?: AuthInfo | undefined;
  /** The client of the connection, as `serve` and `toNodeListener` of `@thole/server` pass it. */
  client?: { readonly address?: string | undefined } | null | undefined;
}

/** The caller of an HTTP request. */
export interface RequestCaller extends Caller {
  /** Throws `FORBIDDEN` if the caller may not answer the interrupts. */
  assertMayAnswer(interrupts: readonly Interrupt[]): Promise<void>;
}

type Guards = Pick<AgentServerOptions, 'authorize' | 'allowedHosts' | 'allowedOrigins'>;

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK_ADDRESS = /^(?:(?:::ffff:)?127\.\d+\.\d+\.\d+|::1|localhost)$/i;

/**
 * Checks host and origin of a request and returns its caller. Throws `FORBIDDEN`, or the `Response` of `authorize`, if the
 * request is rejected.
 */
export async function readCaller(
  request: Request,
  { authInfo, client }: RequestSource,
  p: { appName: string; guards: Guards },
): Promise<RequestCaller> {
  const { appName, guards } = p;
  const { authorize } = guards;
  const isLocalOnly = authorize === undefined && authInfo === undefined;
  assertHost(request, guards.allowedHosts ?? (isLocalOnly ? LOOPBACK_NAMES : undefined));
  assertOrigin(request, guards.allowedOrigins ?? []);
  if (isLocalOnly && client?.address !== undefined && !LOOPBACK_ADDRESS.test(client.address))
    throw forbidden('Without authorize, only clients on this machine are served.');
  const requestedUserId = new URL(request.url).searchParams.get('userId') ?? request.headers.get('x-user-id') ?? 'user';
  const identity: CallIdentity = { appName, userId: requestedUserId, action: 'run' };
  const authorization = authorize ? await authorizeRequest(authorize, request, identity) : (authInfo ?? true);
  const token = typeof authorization === 'object' && 'token' in authorization ? authorization : authInfo;
  const userId = authorization === true ? identity.userId : userIdOf(authorization);
  assertName('The user id', userId);
  return {
    userId,
    authInfo: token,
    request,
    async assertMayAnswer(interrupts) {
      if (!authorize) return;
      const authorized = await authorizeRequest(authorize, request, {
        ...identity,
        userId,
        action: 'answer',
        interrupts,
      });
      if (authorized !== true && userIdOf(authorized) !== userId)
        throw forbidden('The request may not answer for this user.');
    },
  };
}

async function authorizeRequest(
  authorize: NonNullable<AgentServerOptions['authorize']>,
  request: Request,
  identity: CallIdentity,
): Promise<true | AuthInfo | { userId: string }> {
  const result = await authorize(request, identity);
  if (isResponse(result)) throw result;
  if (result === true || (typeof result === 'object' && result !== null)) return result;
  throw forbidden('The request may not act for this app and user.');
}

function userIdOf(authorization: AuthInfo | { userId: string }): string {
  const { extra, userId } = authorization as Partial<AuthInfo & { userId: string }>;
  const id = userId ?? extra?.['userId'] ?? extra?.['sub'];
  // The client id of a token is not used: one client acts for many users.
  if (typeof id !== 'string') throw forbidden('The token names no user: it has neither extra.userId nor extra.sub.');
  return id;
}

/** Prevents DNS rebinding: a page of another site may use a DNS name that resolves to this machine. */
function assertHost(request: Request, allowed: readonly string[] | undefined): void {
  if (allowed && !validateHostHeader(hostOf(request), [...allowed]).ok)
    throw forbidden('The Host of the request is not a name of this server. If it is one, add it to allowedHosts.');
}

function assertOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || allowed.includes(origin)) return;
  if (!URL.canParse(origin) || new URL(origin).host !== hostOf(request))
    throw forbidden('Pages of this origin may not send requests.');
}

function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

/** True for a response. Checked by its members, because `@hono/node-server` replaces the global class. */
export function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'text' in value;
}

function forbidden(message: string): TholeError {
  return new TholeError('FORBIDDEN', message);
}
