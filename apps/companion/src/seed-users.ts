import type { IdentityStore } from '@thole/channels';
import { TholeError } from '@thole/core';
import type { Logger } from '@thole/core';
import type { CompanionConfig, ConfiguredUser } from './config/companion-config.ts';

/** The user of the terminal if the configuration contains none. */
const OWNER = { id: 'owner', name: 'Owner', role: 'admin' } as const;

/** Creates the users of the configuration, and links their identities. Other users do not change. */
export async function seedUsers(
  config: CompanionConfig,
  p: { identities: IdentityStore; logger: Logger },
): Promise<void> {
  const { identities, logger } = p;
  for (const user of await usersToSeed(config, identities)) {
    const known = await identities.get(user.id);
    if (!known) await identities.create({ id: user.id, name: user.name, role: user.role });
    if (known && known.name !== user.name) await identities.rename(user.id, user.name);
    if (known && known.role !== user.role) await identities.setRole(user.id, user.role);
    for (const [channel, sender] of Object.entries(user.identities)) {
      try {
        await identities.link(user.id, { channel, sender });
      } catch (error) {
        if (!TholeError.is(error, 'IDENTITY_TAKEN')) throw error;
        logger.warn('An identity of the configuration belongs to another user.', { userId: user.id, channel });
      }
    }
  }
}

async function usersToSeed(config: CompanionConfig, identities: IdentityStore): Promise<readonly ConfiguredUser[]> {
  const { channels, users } = config;
  if (!channels.terminal || users.some((user) => user.identities['terminal'] === channels.terminal!.sender))
    return users;
  const { sender } = channels.terminal;
  if (await identities.find({ channel: 'terminal', sender })) return users;
  return [...users, { ...OWNER, identities: { terminal: sender } }];
}
