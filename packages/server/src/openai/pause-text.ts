import { callToApprove, escapeHidden, isoTime } from '@thole/core/kit';
import type { Interrupt } from '@thole/core';

/**
 * Returns a text with the requests that a paused invocation waits for, because OpenAI's protocol has no other form for them. Set
 * `isTemporary` if the session is deleted after the run, so that an answer is not possible.
 */
export function pauseText(interrupts: readonly Interrupt[], p: { isTemporary: boolean }): string {
  const lines = interrupts.map((each) => `- ${describe(each)} (id: ${each.id})`);
  const next = p.isTemporary
    ? 'This conversation is not stored, so no answer is possible. Use a stored session for this request.'
    : 'Answer on the page or over the API of the agent. A new message here starts a new request.';
  return ['The agent has paused and waits for:', ...lines, next].join('\n');
}

function describe(interrupt: Interrupt): string {
  const { expiresAt, kind, message, toolName = 'a tool' } = interrupt;
  switch (kind) {
    case 'confirmation': {
      const call = callToApprove(interrupt);
      const text = `an approval of ${call.toolName ?? toolName}(${escapeHidden(JSON.stringify(call.args))})`;
      return message ? `${text}: ${message}` : text;
    }
    case 'input':
      return `an answer to: ${message ?? toolName}`;
    case 'credential':
      return `a sign-in for ${toolName}`;
    case 'timer':
      return `a time${expiresAt === undefined ? '' : `: ${isoTime(expiresAt)}`}`;
    case 'longRunning':
      return `the result of ${toolName}`;
  }
}
