// dies-before-deleting.ts <url> <session>: consolidates the session. Reports when only the deletion is missing, and never deletes it.
import type { SessionRef } from '@thole/core';
import { IdleConsolidator } from '@thole/memory';
import { DatabaseMemoryService, DatabaseSessionService } from '@thole/sql-services';
import { Channel } from '../../durability/children/channel.ts';
import { factsOfGrace } from '../facts-of-grace.ts';

const [url = '', ref = ''] = process.argv.slice(2);
const channel = new Channel<object>();
const memory = factsOfGrace(new DatabaseMemoryService(url));

/** Reports a deletion and does not execute it. */
class NeverDeletingService extends DatabaseSessionService {
  override deleteSession(): Promise<boolean> {
    channel.tell({ at: 'the deletion' });
    return new Promise(() => {});
  }
}

const consolidator = new IdleConsolidator({ sessions: new NeverDeletingService(url), memory, leaseTtlMs: 1_000 });
void consolidator.consolidate(JSON.parse(ref) as SessionRef);
await channel.hear();
