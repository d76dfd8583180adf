export { channelCases } from './channel-cases.ts';
export type { ChannelPeer, HostileInput, ReceivedMessage } from './channel-peer.ts';
