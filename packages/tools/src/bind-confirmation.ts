import type { RequireConfirmation } from '@thole/core';

/** Returns `requireConfirmation` of a tool or of its options. A function stays bound to its object, so that it can use `this`. */
export function bindConfirmation(owner: {
  readonly requireConfirmation?: RequireConfirmation | undefined;
}): RequireConfirmation | undefined {
  const { requireConfirmation } = owner;
  return typeof requireConfirmation === 'function' ? requireConfirmation.bind(owner) : requireConfirmation;
}
