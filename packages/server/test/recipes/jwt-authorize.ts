import { TholeError } from '@thole/core';
import type { HandlerOptions } from '@thole/server';
import { verify } from 'hono/jwt';

export const authorize: HandlerOptions['authorize'] = async (request) => {
  const token = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  const claims = token ? await verify(token, 'the secret', 'HS256').catch(() => undefined) : undefined;
  const userId = claims?.['sub'];
  if (typeof userId !== 'string') throw new TholeError('UNAUTHENTICATED', 'The request must have a token of a user.');
  // Routes without a user are open to every authenticated client.
  return { userId };
};
