import type { ChannelCase } from './channel-peer.ts';
import { receiveCases } from './receive-cases.ts';
import { sendCases } from './send-cases.ts';

/**
 * Test cases for every channel: delivery at least once, one answer for each message, order, retries, rejection of hostile input.
 * Claims: `ids` (the service delivers a message again with the same id), `fails`, `rejects`, `keys` and `hostile`, as described
 * in `ChannelPeer`. The cases use the real clock and take a few milliseconds each.
 */
export const channelCases: readonly ChannelCase[] = [...receiveCases, ...sendCases];
