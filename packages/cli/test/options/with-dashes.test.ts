import { describe, expect, it } from 'vitest';
import { spelledAsIn, withDashes } from '../../src/options/with-dashes.ts';

describe('withDashes', () => {
  it('replaces underscores in the names of options', () => {
    expect(withDashes(['web', 'my_agents', '--session_service_uri', 'sqlite:///my_file.db', '--no-reload'])).toEqual([
      'web',
      'my_agents',
      '--session-service-uri',
      'sqlite:///my_file.db',
      '--no-reload',
    ]);
  });

  it('keeps underscores in the value of --name=value', () => {
    expect(withDashes(['--user_id=a_b', '--user-id=c_d'])).toEqual(['--user-id=a_b', '--user-id=c_d']);
  });

  it('keeps arguments after --', () => {
    expect(withDashes(['run', 'x', '--', '--save_session'])).toEqual(['run', 'x', '--', '--save_session']);
  });
});

describe('spelledAsIn', () => {
  it('names options with dashes only if they were typed so', () => {
    const text = '--session_service_uri must be a URI. --user_id must not be empty.';
    expect(spelledAsIn(['web', '--session-service-uri=x', '--user_id', ''], text)).toBe(
      '--session-service-uri must be a URI. --user_id must not be empty.',
    );
  });
});
