import type { ChannelCase } from './channel-peer.ts';
import { receiveCases } from './receive-cases.ts';
import { sendCases } from './send-cases.ts';

/**
 * The promises of every channel: delivery at least once, one answer for each message, order, retries, refusal of hostile input.
 * Claims: `ids` (the service delivers a message again with the same id), `fails`, `rejects`, `keys` and `hostile`, as described
 * in `ChannelPeer`. The cases take real time, a few milliseconds each.
 */
export const channelCases: readonly ChannelCase[] = [...receiveCases, ...sendCases];
