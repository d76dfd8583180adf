export { ProfilePlugin } from './profile-plugin.ts';
export type { ProfilePluginOptions } from './profile-plugin.ts';
export type { ProfileOptions, ProfileSource } from './profile-options.ts';
export { profileBlock } from './profile-block.ts';
export { profile } from './profile.ts';
export type { Profile, ProfileRequest, Profiles } from './profile.ts';
