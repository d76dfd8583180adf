import * as memServices from '@thole/mem-services';
import * as runner from '@thole/runner';
import * as tools from '@thole/tools';
import { expect, it } from 'vitest';
import * as thole from '../src/index.ts';

it('hands on every value of runner, tools and mem-services, and the very same one', () => {
  expect(thole).toMatchObject({ ...runner, ...tools, ...memServices });
});
