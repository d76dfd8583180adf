import type { Proposal } from '@thole/memory';

/** Returns the change of a proposal as words, such as `add “likes tea”`. */
export function describeChange({ action, target, text }: Proposal): string {
  if (action === 'add') return `add “${text}”`;
  const before = target?.content.parts?.map((part) => part.text ?? '').join('') ?? '';
  return action === 'correct' ? `correct “${before}” to “${text}”` : `remove “${before}”`;
}
