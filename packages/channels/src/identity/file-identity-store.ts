import type { IdentityStore } from './identity-store.ts';

/** Users in a JSON file, which is written atomically and read at each call. */
export declare class FileIdentityStore {
  constructor(options: { path: string });
}
export declare interface FileIdentityStore extends IdentityStore {}
