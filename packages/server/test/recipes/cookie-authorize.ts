import { TholeError } from '@thole/core';
import type { HandlerOptions } from '@thole/server';
import { parseSigned } from 'hono/utils/cookie';

export const authorize: HandlerOptions['authorize'] = async (request) => {
  const { user } = await parseSigned(request.headers.get('cookie') ?? '', 'the secret', 'user');
  if (!user) throw new TholeError('UNAUTHENTICATED', 'The request must have a signed cookie.');
  return { userId: user };
};
