import type { CallOptions, UserRef } from '@thole/core';
import { FactMemoryService } from './facts/fact-memory-service.ts';
import type { Profiles } from './profile/profile.ts';

/** Facts of which profiles are made: with everything of a user go their profiles, and not only when the next one is asked for. */
export class FactsWithProfiles extends FactMemoryService {
  profiles: Profiles | undefined;

  override async deleteUserMemory(p: UserRef & CallOptions): Promise<number> {
    try {
      return await super.deleteUserMemory(p);
    } finally {
      this.profiles?.forget(p);
    }
  }
}
