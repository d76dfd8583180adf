import type { CallOptions, MemoryRef } from '@thole/core';
import { FactMemoryService } from './facts/fact-memory-service.ts';
import type { Profiles } from './profile/profile.ts';

/** A `FactMemoryService` that also deletes a user's cached profiles when all memory of the user is deleted. */
export class FactsWithProfiles extends FactMemoryService {
  profiles: Profiles | undefined;

  override async deleteUserMemory(p: MemoryRef & CallOptions): Promise<number> {
    try {
      return await super.deleteUserMemory(p);
    } finally {
      this.profiles?.forget(p);
    }
  }
}
