// Runs with node:test, to show that a suite needs no other framework: `node --conditions=@thole/source --test`.
import { describe, it } from 'node:test';
import { InMemorySessionService } from '@thole/mem-services';
import { register, sessionServiceCases } from '@thole/testing';

register({ describe, it }, sessionServiceCases, {
  name: 'InMemorySessionService',
  claims: ['lease', 'watch'],
  create: (runtime) => new InMemorySessionService({ runtime }),
});
