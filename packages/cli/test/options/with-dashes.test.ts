import { expect, it } from 'vitest';
import { withDashes } from '../../src/options/with-dashes.ts';

it('takes options with _ as those with -', () => {
  expect(withDashes(['web', 'my_agents', '--session_service_uri', 'sqlite:///my_file.db', '--no-reload'])).toEqual([
    'web',
    'my_agents',
    '--session-service-uri',
    'sqlite:///my_file.db',
    '--no-reload',
  ]);
});

it('changes only the name of an option that is written with its value', () => {
  expect(withDashes(['--user_id=a_b', '--user-id=c_d'])).toEqual(['--user-id=a_b', '--user-id=c_d']);
});

it('leaves alone what follows --', () => {
  expect(withDashes(['run', 'x', '--', '--save_session'])).toEqual(['run', 'x', '--', '--save_session']);
});
