import { systemRuntime, TholeError } from '@thole/core';
import { assertUser, invalidInput, isPlainObject, optionNames, rejectUnknownOptions } from '@thole/core/kit';
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
import { requireMemory } from '../require-memory.ts';
import { listAllMemories } from '../list-all-memories.ts';
import { listStoredOf } from '../wrapper-traits.ts';

/** All stored data of one user, as JSON. */
export interface MemoryExport {
  format: 'thole-memory';
  version: 1;
  appName: string;
  userId: string;
  /** Seconds since the epoch. */
  exportedAt: number;
  /** Turns, notes and facts, including past ones, in the order in which they were written. */
  memories: MemoryEntry[];
  /** The sessions with their events and state, if requested. */
  sessions?: Session[] | undefined;
  /** The user's state, if sessions were requested. */
  userState?: StateMap | undefined;
}

const ENTRIES_PER_WRITE = 200;

type ExportRequest = UserRef & {
  memory: MemoryService;
  sessions?: SessionService | undefined;
  runtime?: Runtime | undefined;
} & CallOptions;
type ImportRequest = { memory: MemoryService; exported: MemoryExport; as?: UserRef | undefined } & CallOptions;
type CorrectRequest = UserRef & { memory: MemoryService; id: string; text: string } & CallOptions;

const exportNames = optionNames<ExportRequest>({
  appName: true,
  userId: true,
  memory: true,
  sessions: true,
  runtime: true,
  signal: true,
});
const importNames = optionNames<ImportRequest>({ memory: true, exported: true, as: true, signal: true });
const correctNames = optionNames<CorrectRequest>({
  appName: true,
  userId: true,
  memory: true,
  id: true,
  text: true,
  signal: true,
});

/** Returns all memories of a user; with `sessions` also the user's sessions and state. */
export async function exportMemory(p: ExportRequest): Promise<MemoryExport> {
  rejectUnknownOptions(p, exportNames, 'exportMemory');
  assertUser(p);
  const { appName, userId, sessions, signal, runtime = systemRuntime() } = p;
  const memory = requireMemory(p.memory, 'exportMemory', ['listMemories']);
  const memories = await listAllMemories(
    { listMemories: listStoredOf(memory) },
    {
      appName,
      userId,
      filter: { kinds: ['turn', 'fact', 'note'] },
      signal,
    },
  );
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
 * Writes the entries of an export into the memory of the same user, or of the user in `as`, and returns the number of entries.
 * Replaces entries with the same ids and restores deleted ones. Does not write sessions. Throws `INVALID_INPUT` before writing if the
 * value is not an export or an entry has a `scope`. Any other invalid entry stops the import. The corrected export can be imported
 * again: no entry is written twice.
 */
export async function importMemory(p: ImportRequest): Promise<number> {
  rejectUnknownOptions(p, importNames, 'importMemory');
  const { exported, signal } = p;
  const memory = requireMemory(p.memory, 'importMemory', ['addMemory']);
  if (!isPlainObject(exported) || exported.format !== 'thole-memory')
    throw invalidInput('exported', 'the result of exportMemory', exported);
  if (exported.version !== 1)
    throw new TholeError(
      'INVALID_INPUT',
      'exported has an unknown version. This version of @thole/memory reads version 1.',
    );
  if (!Array.isArray(exported.memories))
    throw invalidInput('exported.memories', 'an array of entries', exported.memories);
  // Otherwise a user could write into the memory of any team with a changed export.
  const sharedIndex = exported.memories.findIndex(
    (entry: unknown) => isPlainObject(entry) && entry['scope'] !== undefined,
  );
  if (sharedIndex >= 0)
    throw new TholeError(
      'INVALID_INPUT',
      `exported.memories[${sharedIndex}] must have no scope. An export contains entries of one user only.`,
    );
  const { appName, userId } = p.as ?? exported;
  assertUser({ appName, userId });
  for (let i = 0; i < exported.memories.length; i += ENTRIES_PER_WRITE) {
    const memories = exported.memories.slice(i, i + ENTRIES_PER_WRITE);
    try {
      await memory.addMemory({ appName, userId, memories, signal });
    } catch (error) {
      throw withIndexOfExport(error, i);
    }
  }
  return exported.memories.length;
}

/** Returns an error about `memories[n]` of one write as an error about the same entry of the export. */
function withIndexOfExport(error: unknown, start: number): unknown {
  if (!TholeError.is(error, 'INVALID_INPUT')) return error;
  const message = error.message.replace(/^memories\[(\d+)\]/, (_, n) => `exported.memories[${start + Number(n)}]`);
  return new TholeError('INVALID_INPUT', message, { cause: error });
}

/**
 * Replaces the wrong text of an entry, also in the index, and returns the entry. Its id and evidence stay. Returns undefined for an
 * unknown id. If a text was right and has become outdated, add a new fact instead.
 */
export async function correctMemory(p: CorrectRequest): Promise<MemoryEntry | undefined> {
  rejectUnknownOptions(p, correctNames, 'correctMemory');
  const { appName, userId, id, text, signal } = p;
  if (typeof text !== 'string') throw invalidInput('text', 'a string', text);
  if (text.trim() === '') throw new TholeError('INVALID_INPUT', 'text must not be empty.');
  const memory = requireMemory(p.memory, 'correctMemory', ['updateMemory']);
  const content = { role: 'user' as const, parts: [{ text }] };
  return memory.updateMemory({ appName, userId, id, change: { content }, signal });
}

async function sessionsOf(service: SessionService, p: UserRef & CallOptions): Promise<Session[]> {
  const sessions: Session[] = [];
  // One list, because a session that changes between two pages moves, and another one would be left out.
  for (const { id: sessionId } of (await service.listSessions(p)).sessions) {
    const session = await service.getSession({ ...p, sessionId });
    if (session) sessions.push(session);
  }
  return sessions;
}
