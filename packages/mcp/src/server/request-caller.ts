import { TholeError } from '@thole/core';
import { assertName } from '@thole/core/kit';
import type { Interrupt } from '@thole/core';
import { validateHostHeader } from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { AgentServerOptions, Caller, CallIdentity } from './agent-server-options.ts';

/** The source of a request, as its connection and its token show it. */
export interface RequestSource {
  /** A token that the caller of `fetch` has verified. It names the user. */
  authInfo?: AuthInfo | undefined;
  /** The client of the connection, as `serve` and `toNodeListener` of `@thole/server` pass it. */
  client?: { readonly address?: string | undefined } | null | undefined;
}

/** The caller of an HTTP request, and who it may answer for. */
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
  const isOpen = authorize === undefined && authInfo === undefined;
  assertHost(request, guards.allowedHosts ?? (isOpen ? LOOPBACK_NAMES : undefined));
  assertOrigin(request, guards.allowedOrigins ?? []);
  if (isOpen && client?.address !== undefined && !LOOPBACK_ADDRESS.test(client.address))
    throw forbidden('Without authorize, only clients on this machine are served.');
  const named = new URL(request.url).searchParams.get('userId') ?? request.headers.get('x-user-id') ?? undefined;
  const identity: CallIdentity = { appName, userId: named ?? 'user', action: 'run' };
  const accepted = authorize ? await acceptedBy(authorize, request, identity) : (authInfo ?? true);
  const token = typeof accepted === 'object' && 'token' in accepted ? accepted : authInfo;
  const userId = accepted === true ? identity.userId : userIn(accepted);
  assertName('The user id', userId);
  return {
    ...{ userId, authInfo: token, request },
    async assertMayAnswer(interrupts) {
      if (!authorize) return;
      const again = await acceptedBy(authorize, request, { ...identity, userId, action: 'answer', interrupts });
      if (again !== true && userIn(again) !== userId) throw forbidden('The request may not answer for this user.');
    },
  };
}

async function acceptedBy(
  authorize: NonNullable<AgentServerOptions['authorize']>,
  request: Request,
  identity: CallIdentity,
): Promise<true | AuthInfo | { userId: string }> {
  const result = await authorize(request, identity);
  if (isResponse(result)) throw result;
  if (result === true || (typeof result === 'object' && result !== null)) return result;
  throw forbidden('The request may not act for this app and user.');
}

function userIn(accepted: AuthInfo | { userId: string }): string {
  const { extra, userId } = accepted as Partial<AuthInfo & { userId: string }>;
  const named = userId ?? extra?.['userId'] ?? extra?.['sub'];
  // The client id of a token is not used: one client acts for many users.
  if (typeof named !== 'string') throw forbidden('The token names no user: it has neither extra.userId nor extra.sub.');
  return named;
}

/** Protects from DNS rebinding: a page of another site may use a DNS name that resolves to this machine. */
function assertHost(request: Request, allowed: readonly string[] | undefined): void {
  if (allowed && !validateHostHeader(hostOf(request), [...allowed]).ok)
    throw forbidden('The Host of the request is not a name of this server.');
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

// By shape: `@hono/node-server` replaces the global class.
function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && 'headers' in value;
}

function forbidden(message: string): TholeError {
  return new TholeError('FORBIDDEN', message);
}
