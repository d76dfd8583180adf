import { TholeError } from '@thole/core';
import type { HandlerOptions } from '@thole/server';
import { verify } from 'hono/jwt';

export const authorize: HandlerOptions['authorize'] = async (request, { userId }) => {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const claims = token && (await verify(token, 'the secret', 'HS256').catch(() => undefined));
  if (!claims) throw new TholeError('UNAUTHENTICATED', 'The request must have a token.');
  // Routes without a user are open to every authenticated client.
  return userId === undefined || userId === claims['sub'];
};
