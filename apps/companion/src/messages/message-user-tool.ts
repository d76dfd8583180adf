import type { IdentityStore, SendToUserRequest } from '@thole/channels';
import type { Tool, ToolContext } from '@thole/core';
import { FunctionTool } from '@thole/tools';
import { z } from 'zod';
import type { MessagePolicy } from './message-policy.ts';
import { resolveRecipient } from './resolve-recipient.ts';

/** Options of `messageUserTool`. */
export interface MessageUserOptions {
  identities: IdentityStore;
  /** `Dispatcher.send`. */
  send: (request: SendToUserRequest) => Promise<void>;
  policy: MessagePolicy;
  /** Returns the name of the channel whose senders are phone numbers. Undefined: numbers without a user cannot be reached. */
  phoneChannel: () => string | undefined;
}

/** Maximum number of memories that a search for a recipient returns. */
const MAX_MEMORIES = 10;

/**
 * Returns the tool `message_user`, which sends a message to another person. The recipient is a name, a phone number or a relationship
 * in the caller's memory. Without one clear match nothing is sent, and the result has `ask`. A repeated call sends the message once.
 */
export function messageUserTool(options: MessageUserOptions): Tool {
  return new FunctionTool({
    name: 'message_user',
    description:
      'Sends a message to another person on their channel. If the answer has `ask`, nothing was sent: ask the user that question.',
    parameters: z.object({
      recipient: z
        .string()
        .max(200)
        .describe('A name, a phone number, or a relationship such as "my girlfriend" without "my".'),
      text: z.string().trim().min(1).max(4_000).describe('The message, word for word.'),
    }),
    idempotent: true,
    execute: (args, context) => messageUser(options, args, context),
  });
}

async function messageUser(
  { identities, send, policy, ...options }: MessageUserOptions,
  args: { recipient: string; text: string },
  context: ToolContext,
): Promise<object> {
  const users = await identities.list();
  const caller = users.find(({ id }) => id === context.userId);
  const decision = policy[caller?.role ?? 'guest'];
  if (!caller || decision === 'refuse') return { error: 'This user may not send messages to others.' };
  const search = async (query: string) =>
    (await context.searchMemory(query, { limit: MAX_MEMORIES, minRelevance: 0 })).memories;
  const others = users.filter(({ id }) => id !== caller.id);
  // In a step, so that a confirmed message goes to the person whom the confirmation has shown.
  const recipient = await context.step('resolve', () =>
    resolveRecipient({ recipient: args.recipient, users: others, search }).catch(askIfMemoryIsOff),
  );
  if ('ask' in recipient) return recipient;
  const phoneChannel = options.phoneChannel();
  const isUser = 'userId' in recipient;
  const isGuest = isUser && recipient.isGuest === true;
  const guest = isGuest ? others.find(({ id }) => id === recipient.userId) : undefined;
  const senders = guest?.identities.map(({ channel, sender }) => `, ${channel} ${sender}`).join('') ?? '';
  const label = isUser ? recipient.name + (isGuest ? ` (guest${senders})` : '') : `+${recipient.number}`;
  if (!isUser && phoneChannel === undefined)
    return { error: `${label} is not a user, and no channel here reaches phone numbers.` };
  const hint = `Send to ${label}: “${args.text}”?`;
  const answer = context.toolConfirmation;
  if (answer && !answer.confirmed) return { error: 'The user does not want this message to be sent.' };
  // A stranger may have chosen the name of another person, so a guest's name is confirmed.
  if ((decision === 'confirm' || isGuest) && !answer) {
    context.requestConfirmation({ hint });
    return { status: 'The user is asked.' };
  }
  const userId = isUser ? recipient.userId : await findOrCreateUser(recipient, { identities, channel: phoneChannel! });
  await send({ userId, message: `${caller.name}: ${args.text}`, idempotencyKey: context.idempotencyKey });
  return { sent: true, to: label };
}

/** Returns the id of the user with a phone number. Creates a guest if there is none, because each message needs a user. */
async function findOrCreateUser(
  { number, name }: { number: string; name: string },
  { identities, channel }: { identities: IdentityStore; channel: string },
): Promise<string> {
  const identity = { channel, sender: number };
  const known = await identities.find(identity);
  return (known ?? (await identities.create({ name, role: 'guest', identities: [identity] }))).id;
}

function askIfMemoryIsOff(error: unknown): { ask: string; candidates: string[] } {
  if ((error as { code?: unknown }).code !== 'MEMORY_NOT_CONFIGURED') throw error;
  return { ask: 'No person with this name is known. Ask for a phone number.', candidates: [] };
}
