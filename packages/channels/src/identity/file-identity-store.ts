import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { platform } from 'node:process';
import { systemRuntime, TholeError } from '@thole/core';
import { assertName, optionNames, rejectUnknownOptions, renameWhenFree } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { IdentityDocument } from './identity-document.ts';
import { StoredIdentityStore } from './stored-identity-store.ts';

/** Options of `FileIdentityStore`. */
export interface FileIdentityStoreOptions {
  /** Path of the JSON file. The file and its folder are created at the first change. Only the file's owner can read it; on Windows the rights of the folder apply. */
  path: string;
  runtime?: Runtime | undefined;
}

const names = optionNames<FileIdentityStoreOptions>({ path: true, runtime: true });

/**
 * Stores users in a JSON file. The file is read at each call, so manual changes apply at once. It is replaced atomically: after a
 * crash, it is either the old or the new file. Concurrent changes in one process do not overwrite each other. Only one process may
 * change the file.
 */
export class FileIdentityStore extends StoredIdentityStore {
  /** Throws `INVALID_INPUT` for wrong options. */
  constructor(options: FileIdentityStoreOptions) {
    rejectUnknownOptions(options, names, 'FileIdentityStore');
    const { path, runtime = systemRuntime() } = options;
    assertName('path', path);
    super(fileDocument(path, runtime), { runtime });
  }
}

function fileDocument(path: string, runtime: Runtime): IdentityDocument {
  return {
    name: `users file "${path}"`,
    read: async () => {
      const text = await readText(path);
      return { text, version: text ?? '' };
    },
    replace: async (text, version) => {
      if (((await readText(path)) ?? '') !== version) return false;
      await replaceFile(path, text, runtime.newId('file'));
      return true;
    },
  };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as { code?: unknown }).code === 'ENOENT') return undefined;
    throw new TholeError(
      'STORE_UNAVAILABLE',
      `The users file "${path}" cannot be read. Check its path and its rights.`,
      { cause },
    );
  }
}

/** Writes a temporary file next to the file, waits until it is on disk, then renames it. */
async function replaceFile(path: string, text: string, id: string): Promise<void> {
  const temporary = `${path}.${id}.tmp`;
  try {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await renameWhenFree(rename, { from: temporary, to: path, platform });
  } catch (cause) {
    await rm(temporary, { force: true });
    throw new TholeError(
      'STORE_UNAVAILABLE',
      `The users file "${path}" cannot be written. Check the rights of its folder.`,
      { cause },
    );
  }
}
