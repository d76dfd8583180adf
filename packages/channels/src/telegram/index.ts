export { TelegramChannel } from './telegram-channel.ts';
export type { TelegramChannelOptions, TelegramWebhook } from './telegram-options.ts';
