import { register } from '@thole/testing';
import { describe, it } from 'vitest';
import { channelCases } from '../../src/testing/index.ts';
import { pollingPeer, webhookPeer } from './telegram-peer.ts';

register({ describe, it }, channelCases, {
  name: 'TelegramChannel with polls',
  claims: ['ids', 'fails', 'rejects', 'hostile'],
  create: () => pollingPeer(),
  destroy: (peer) => peer.close(),
});

register({ describe, it }, channelCases, {
  name: 'TelegramChannel with a webhook',
  claims: ['ids', 'fails', 'rejects', 'hostile'],
  create: () => webhookPeer(),
  destroy: (peer) => peer.close(),
});
