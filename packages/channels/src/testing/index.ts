export { channelCases } from './channel-cases.ts';
export type { ChannelCase, ChannelPeer, HostileInput, ReceivedMessage } from './channel-peer.ts';
