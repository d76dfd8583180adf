export { TerminalChannel } from './terminal-channel.ts';
export type { TerminalChannelOptions } from './terminal-channel.ts';
