import type { DeliveryStore } from './delivery-store.ts';

/** Messages in memory, for tests and demonstrations: a crash loses them. */
export declare class InMemoryDeliveryStore {}
export declare interface InMemoryDeliveryStore extends DeliveryStore {}
