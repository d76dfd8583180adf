import type { Content, Event, Part } from '@thole/core';

/** Returns an event with the given members. Default author: `agent`. */
export function event(p: Partial<Omit<Event, 'content'>> & { id: string; text?: string; parts?: Part[] }): Event {
  const { text, parts = text === undefined ? undefined : [{ text }], author = 'agent', ...rest } = p;
  const role = author === 'user' || parts?.some((part) => part.functionResponse) ? 'user' : 'model';
  const content: Content | undefined = parts && { role, parts };
  return {
    invocationId: 'run-1',
    timestamp: 1_700_000_000,
    actions: { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} },
    ...rest,
    author,
    ...(content && { content }),
  };
}
