import { StoredCredentialService } from '@thole/core';
import type { StoredCredentialServiceOptions } from '@thole/core';
import { InMemoryCredentialStore } from './in-memory-credential-store.ts';

/** Credentials in the memory of this process. They are lost when it ends. */
export class InMemoryCredentialService extends StoredCredentialService {
  constructor(options: StoredCredentialServiceOptions = {}) {
    super(new InMemoryCredentialStore(), options);
  }
}
