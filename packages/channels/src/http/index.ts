export { HttpChannel } from './http-channel.ts';
export type { HttpChannelOptions } from './http-options.ts';
export { signRequest } from './signature.ts';
export type { SignedRequest } from './signature.ts';
