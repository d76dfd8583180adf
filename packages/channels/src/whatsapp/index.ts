export { WhatsAppChannel } from './whatsapp-channel.ts';
export type { WhatsAppChannelOptions, WhatsAppTemplate } from './whatsapp-options.ts';
