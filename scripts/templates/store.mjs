/** Returns the files of a new `SessionStore` whose methods throw `NOT_WRITTEN`, and a test that registers its suite. */
export function storeFiles(name, type) {
  const store = `${type}SessionStore`;
  return {
    'src/index.ts': `export { ${store} } from './${name}-session-store.ts';\n`,
    [`src/${name}-session-store.ts`]: `import { TholeError } from '@thole/core';
import type {
  AppendOptions,
  Event,
  EventWindow,
  ListSessionsRequest,
  RemoveConditions,
  ScopedDelta,
  SessionPage,
  SessionRef,
  SessionStore,
  StateMap,
  StoredSession,
  UserRef,
} from '@thole/core';

/** Stores sessions in ${type}. Pass it to a \`StoredSessionService\`, which adds scopes, ids, validation and copies. */
export class ${store} implements SessionStore {
  readonly specVersion = 1;
  readonly abilities: SessionStore['abilities'] = {};

  async insert(session: StoredSession): Promise<void> {
    return notWritten('insert', session);
  }

  async load(key: SessionRef, window: EventWindow): Promise<StoredSession | undefined> {
    return notWritten('load', key, window);
  }

  async list(query: ListSessionsRequest): Promise<SessionPage> {
    return notWritten('list', query);
  }

  async remove(key: SessionRef, conditions: RemoveConditions): Promise<boolean> {
    return notWritten('remove', key, conditions);
  }

  async append(
    key: SessionRef,
    event: Event,
    delta: ScopedDelta,
    options?: AppendOptions,
  ): Promise<{ event: Event; duplicate: boolean }> {
    return notWritten('append', key, event, delta, options);
  }

  async readState(scope: { appName: string; userId?: string | undefined }): Promise<StateMap> {
    return notWritten('readState', scope);
  }

  async removeUser(user: UserRef): Promise<void> {
    return notWritten('removeUser', user);
  }
}

function notWritten(method: keyof ${store}, ..._given: unknown[]): never {
  throw new TholeError('NOT_WRITTEN', \`${store}.\${method} is not written yet.\`);
}
`,
    [`test/${name}-session-store.test.ts`]: `import { StoredSessionService } from '@thole/core';
import { register, sessionServiceCases } from '@thole/testing';
import { describe, it } from 'vitest';
import { ${store} } from '../src/index.ts';

// Each case is a test with its id as name. The tests that fail show the missing parts. Claim the optional features of the
// store (\`lease\`, \`watch\`, \`durable\`), and their cases run too.
register({ describe, it }, sessionServiceCases, {
  name: '${store}',
  claims: [],
  create: (runtime) => new StoredSessionService(new ${store}(), { runtime }),
});
`,
  };
}

/** Returns the first program of the README of a new store. */
export function storeProgram(name, type) {
  return `import { StoredSessionService } from '@thole/core';
import { ${type}SessionStore } from '@thole/${name}-store';

const sessions = new StoredSessionService(new ${type}SessionStore());
const session = await sessions.createSession({ appName: 'hotel', userId: 'ada', sessionId: 's1' });
console.log(session.id);
`;
}
