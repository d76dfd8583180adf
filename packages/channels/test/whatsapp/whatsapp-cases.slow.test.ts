import { register } from '@thole/testing';
import { describe, it } from 'vitest';
import { channelCases } from '../../src/testing/index.ts';
import { whatsAppPeer } from './whatsapp-peer.ts';

register({ describe, it }, channelCases, {
  name: 'WhatsAppChannel',
  claims: ['ids', 'fails', 'rejects', 'keys', 'hostile'],
  create: () => whatsAppPeer(),
  destroy: (peer) => peer.close(),
});
