import type { IdentityStore } from './identity-store.ts';

/** Users in memory, for tests and demonstrations. */
export declare class InMemoryIdentityStore {}
export declare interface InMemoryIdentityStore extends IdentityStore {}
