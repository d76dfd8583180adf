import type { JsonObject } from '@thole/core';

/** The next step of the demo model: one call, or its answer. */
export type Step = { call: { name: string; args: JsonObject } } | { say: string };
