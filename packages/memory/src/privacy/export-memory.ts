import { systemRuntime, TholeError } from '@thole/core';
import { assertUser, invalidInput, isPlainObject, rejectUnknownOptions } from '@thole/core/kit';
import type {
  CallOptions,
  MemoryEntry,
  MemoryService,
  Runtime,
  Session,
  SessionService,
  StateMap,
  UserRef,
} from '@thole/core';
import { fullMemory } from '../full-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';

/** Everything of one user, as JSON. */
export interface MemoryExport {
  format: 'thole-memory';
  version: 1;
  appName: string;
  userId: string;
  /** Seconds since the epoch. */
  exportedAt: number;
  /** Turns, facts (past ones too) and notes, in the order in which they were written. */
  memories: MemoryEntry[];
  /** Where sessions were asked for: each with its events and state. */
  sessions?: Session[] | undefined;
  /** Where sessions were asked for: the user's state. */
  userState?: StateMap | undefined;
}

const PAGE = 100;
const CHUNK = 200;

/** Everything that is kept of one user: what memory holds, and with `sessions` the conversations and the user's state too. */
export async function exportMemory(
  p: UserRef & {
    memory: MemoryService;
    sessions?: SessionService | undefined;
    runtime?: Runtime | undefined;
  } & CallOptions,
): Promise<MemoryExport> {
  rejectUnknownOptions(p, ['appName', 'userId', 'memory', 'sessions', 'runtime', 'signal'], 'exportMemory');
  assertUser(p);
  const { appName, userId, sessions, signal, runtime = systemRuntime() } = p;
  const memory = fullMemory(p.memory, 'exportMemory', ['listMemories']);
  const memories = await listAllMemories(memory, {
    appName,
    userId,
    filter: { kinds: ['turn', 'fact', 'note'] },
    signal,
  });
  const exported: MemoryExport = {
    format: 'thole-memory',
    version: 1,
    appName,
    userId,
    exportedAt: runtime.now(),
    memories,
  };
  if (!sessions) return exported;
  const userState = await sessions.getUserState({ appName, userId, signal });
  return { ...exported, sessions: await sessionsOf(sessions, { appName, userId, signal }), userState };
}

/**
 * Writes the entries of an export into a memory, of the same user unless `as` names another, and says how many. Entries under
 * ids that are there are replaced; what was forgotten is written again, since somebody asks for it. Sessions are not written.
 * `INVALID_INPUT` for what is no export, with nothing written; an entry that is refused ends the import where it is, and importing
 * the mended export writes nothing twice.
 */
export async function importMemory(
  p: { memory: MemoryService; exported: MemoryExport; as?: UserRef | undefined } & CallOptions,
): Promise<number> {
  rejectUnknownOptions(p, ['memory', 'exported', 'as', 'signal'], 'importMemory');
  const { exported, signal } = p;
  const memory = fullMemory(p.memory, 'importMemory', ['addMemory']);
  if (!isPlainObject(exported) || exported.format !== 'thole-memory')
    throw invalidInput('exported', 'what exportMemory answered', exported);
  if (exported.version !== 1)
    throw new TholeError(
      'INVALID_INPUT',
      'exported has a version that this package does not read; it reads version 1.',
    );
  if (!Array.isArray(exported.memories))
    throw invalidInput('exported.memories', 'an array of entries', exported.memories);
  const { appName, userId } = p.as ?? exported;
  assertUser({ appName, userId });
  for (let i = 0; i < exported.memories.length; i += CHUNK)
    await memory.addMemory({ appName, userId, memories: exported.memories.slice(i, i + CHUNK), signal });
  return exported.memories.length;
}

/**
 * Puts a right text in the place of a wrong one, which is gone afterwards, also from the index. The entry's id and evidence
 * stay. Undefined for an unknown id. For what has changed, and was not wrong, add a fact instead.
 */
export async function correctMemory(
  p: UserRef & { memory: MemoryService; id: string; text: string } & CallOptions,
): Promise<MemoryEntry | undefined> {
  rejectUnknownOptions(p, ['appName', 'userId', 'memory', 'id', 'text', 'signal'], 'correctMemory');
  const { appName, userId, id, text, signal } = p;
  if (typeof text !== 'string') throw invalidInput('text', 'a string', text);
  if (text.trim() === '') throw new TholeError('INVALID_INPUT', 'text must not be empty.');
  const memory = fullMemory(p.memory, 'correctMemory', ['updateMemory']);
  const content = { role: 'user' as const, parts: [{ text }] };
  return memory.updateMemory({ appName, userId, id, change: { content }, signal });
}

async function sessionsOf(service: SessionService, p: UserRef & CallOptions): Promise<Session[]> {
  const sessions: Session[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await service.listSessions({ ...p, limit: PAGE, offset });
    for (const { id: sessionId } of page.sessions) {
      const session = await service.getSession({ ...p, sessionId });
      if (session) sessions.push(session);
    }
    if (page.sessions.length < PAGE) return sessions;
  }
}
