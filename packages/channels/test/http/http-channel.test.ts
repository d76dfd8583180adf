import { register } from '@thole/testing';
import { describe, expect, it } from 'vitest';
import { HttpChannel } from '../../src/http/index.ts';
import { channelCases } from '../../src/testing/index.ts';
import { pollingPeer } from './http-peer.ts';

register({ describe, it }, channelCases, {
  name: 'HttpChannel with polls',
  claims: ['ids', 'keys', 'hostile'],
  create: () => pollingPeer(),
  destroy: (peer) => peer.close(),
});

describe('HttpChannel', () => {
  it('rejects wrong options', () => {
    const secrets = ['x'.repeat(32)];
    expect(() => new HttpChannel({ secrets: [] })).toThrowError(/secrets/);
    expect(() => new HttpChannel({ secrets: ['short'] })).toThrowError(/32 characters/);
    expect(() => new HttpChannel({ secrets, callbackUrl: 'file:///etc/passwd' })).toThrowError(/callbackUrl/);
    expect(() => new HttpChannel({ secrets, ports: 1 } as never)).toThrowError(/ports/);
  });
});
