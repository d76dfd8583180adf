import type { Event, RunConfig } from '@thole/core';
import { hashOf } from '../channel/read-inbound-message.ts';
import type { StoredMessage } from '../delivery/delivery-store.ts';

/**
 * Name of a group's id in `customMetadata` of the events of its runs. Runs for private messages do not have it. The address of the
 * group is not stored there: a client of a server can set `customMetadata`, and must not choose where answers are sent.
 */
const GROUP = 'channelGroup';

/** Returns the metadata of a run for a message: the id of its group. Undefined for a private message. */
export function groupMetadata({ message }: StoredMessage): RunConfig['customMetadata'] {
  return message.group && { [GROUP]: message.group.id };
}

/** Returns the id of the group in which an invocation began. Undefined for a private chat. */
export function groupOf(events: readonly Event[], invocationId: string): string | undefined {
  for (const event of events) {
    const id = event.invocationId === invocationId && event.customMetadata?.[GROUP];
    if (typeof id === 'string') return id;
  }
  return undefined;
}

/** Returns the key of a question in a group. A private chat (`undefined`) does not change the key. */
export function keyIn(groupId: string | undefined, key: string): string {
  return groupId === undefined ? key : hashOf([key, groupId]);
}
