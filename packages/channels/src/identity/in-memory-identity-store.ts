import { optionNames, rejectUnknownOptions } from '@thole/core/kit';
import type { Runtime } from '@thole/core';
import type { IdentityDocument } from './identity-document.ts';
import { StoredIdentityStore } from './stored-identity-store.ts';

/** Stores users in memory, for tests and demonstrations. They are lost when the process ends. */
export class InMemoryIdentityStore extends StoredIdentityStore {
  constructor(options: { runtime?: Runtime | undefined } = {}) {
    rejectUnknownOptions(options, optionNames<typeof options>({ runtime: true }), 'InMemoryIdentityStore');
    super(inMemoryDocument(), options);
  }
}

function inMemoryDocument(): IdentityDocument {
  let current: string | undefined;
  let count = 0;
  return {
    read: async () => ({ text: current, version: String(count) }),
    replace: async (text, version) => {
      if (version !== String(count)) return false;
      current = text;
      count++;
      return true;
    },
  };
}
