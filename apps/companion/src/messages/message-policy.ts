import type { Role } from '@thole/channels';

/** Decision about a message to another person: `send` sends it, `confirm` asks the caller first, `refuse` never sends it. */
export type MessageDecision = 'send' | 'confirm' | 'refuse';

/** The decision for each role of the caller. */
export type MessagePolicy = Readonly<Record<Role, MessageDecision>>;

/** Admins send at once, users confirm, guests send nothing. */
export const defaultMessagePolicy: MessagePolicy = { admin: 'send', user: 'confirm', guest: 'refuse' };
