import type { JsonObject } from '@thole/core';

/** What the demo model does next: one call, or its answer. */
export type Step = { call: { name: string; args: JsonObject } } | { say: string };
