import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FileIdentityStore, InMemoryIdentityStore, StoredIdentityStore } from '../../src/index.ts';
import type { IdentityStore } from '../../src/index.ts';
import { SqlIdentityStore, sqliteDatabase } from '../../src/sql/index.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'thole-users-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const kinds: { readonly [name: string]: () => () => IdentityStore } = {
  InMemoryIdentityStore: () => {
    const store = new InMemoryIdentityStore();
    return () => store;
  },
  FileIdentityStore: () => {
    const path = join(folder(), 'people', 'users.json');
    return () => new FileIdentityStore({ path });
  },
  SqlIdentityStore: () => {
    const database = sqliteDatabase(join(folder(), 'users.db'));
    onTestFinished(() => database.close!());
    return () => new SqlIdentityStore({ database });
  },
};
const phone = { channel: 'chat', sender: '+49 170' };
const mail = { channel: 'mail', sender: 'ada@example.org' };

for (const [name, create] of Object.entries(kinds)) {
  describe(name, () => {
    it('finds a user by each linked sender, also after the store is opened again', async () => {
      const open = create();
      const { id } = await open().create({ name: 'Ada Lovelace', identities: [phone] });
      expect(id).toBe('ada-lovelace');
      await open().link(id, mail);
      expect(await open().find(phone)).toEqual(await open().find(mail));
      expect(await open().find({ channel: 'mail', sender: '+49 170' })).toBeUndefined();
      expect(await open().unlink(phone)).toBe(true);
      expect(await open().unlink(phone)).toBe(false);
      expect(await open().find(phone)).toBeUndefined();
      expect(await open().get(id)).toMatchObject({ name: 'Ada Lovelace', role: 'user', identities: [mail] });
    });

    it('rejects a sender or an id of another user, and changes nothing', async () => {
      const store = create()();
      await store.create({ id: 'ada', name: 'Ada', identities: [phone] });
      await expect(store.create({ name: 'Bob', identities: [phone] })).rejects.toMatchObject({
        code: 'IDENTITY_TAKEN',
      });
      await expect(store.create({ id: 'ada', name: 'Other' })).rejects.toMatchObject({ code: 'USER_ALREADY_EXISTS' });
      await expect(store.link('bob', mail)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
      expect(await store.list()).toHaveLength(1);
    });

    it('changes names and roles, and rejects invalid ones', async () => {
      const store = create()();
      const { id } = await store.create({ name: 'Ada\n\u0007 L' });
      expect(await store.setRole(id, 'admin')).toMatchObject({ role: 'admin', name: 'Ada  L' });
      expect(await store.rename(id, 'Countess')).toMatchObject({ id, name: 'Countess', role: 'admin' });
      await expect(async () => store.setRole(id, 'root' as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(store.create({ id: 'A:b', name: 'x' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(store.link(id, { channel: 'Chat', sender: 'x' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });

    it('generates an id of letters without accents', async () => {
      const store = create()();
      expect(await store.create({ name: 'José Müller' })).toMatchObject({ id: 'jose-muller', name: 'José Müller' });
      expect(await store.create({ name: '日本' })).toMatchObject({ id: 'user' });
    });

    it('never generates the id of a deleted user again, but accepts it as an explicit id', async () => {
      const store = create()();
      await store.create({ name: 'Ada' });
      expect(await store.delete('ada')).toBe(true);
      expect(await store.delete('ada')).toBe(false);
      expect(await store.create({ name: 'Ada' })).toMatchObject({ id: 'ada-2' });
      expect(await store.create({ id: 'ada', name: 'Ada' })).toMatchObject({ id: 'ada' });
    });

    it('keeps access requests until they are removed or the sender is linked', async () => {
      const store = create()();
      const { id } = await store.create({ name: 'Ada' });
      expect(await store.request({ ...phone, name: 'Someone', requestedAt: 5 })).toBe(true);
      expect(await store.request({ ...phone, requestedAt: 6 })).toBe(false);
      expect(await store.request({ ...mail, requestedAt: 7 })).toBe(true);
      expect(await store.listRequests()).toMatchObject([{ ...phone, name: 'Someone' }, mail]);
      await store.link(id, phone);
      expect(await store.removeRequest(mail)).toBe(true);
      expect(await store.listRequests()).toEqual([]);
    });

    it('loses no concurrent change', async () => {
      const open = create();
      const stores = name === 'FileIdentityStore' ? [open()] : [open(), open(), open()];
      await Promise.all(Array.from({ length: 12 }, (_, i) => stores[i % stores.length]!.create({ name: `User ${i}` })));
      expect(await open().list()).toHaveLength(12);
    });
  });
}

describe('sqliteDatabase', () => {
  it('flushes each change to the disk, also on macOS', async () => {
    const database = sqliteDatabase(join(folder(), 'users.db'));
    onTestFinished(() => database.close!());
    for (const [name, value] of [
      ['synchronous', 2],
      ['fullfsync', 1],
      ['checkpoint_fullfsync', 1],
    ])
      expect((await database.query(`PRAGMA ${name}`, [])).rows).toMatchObject([{ [name!]: value }]);
  });
});

describe('StoredIdentityStore', () => {
  it('parses a document once, not at each message, until it changes', async () => {
    let text: string | undefined;
    const store = new StoredIdentityStore({
      read: async () => ({ text, version: text ?? '' }),
      replace: async (changed) => ((text = changed), true),
    });
    await store.create({ name: 'Ada', identities: [phone] });
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const found = await store.find(phone);
    for (let i = 0; i < 5; i++) expect(await store.find(phone)).toEqual(found);
    expect(await store.get('ada')).toEqual(found);
    expect(parse).toHaveBeenCalledTimes(1);
    found!.identities = [];
    expect(await store.get('ada')).toMatchObject({ identities: [phone] });
    text = text!.replace('"Ada"', '"Ada Lovelace"');
    expect(await store.find(phone)).toMatchObject({ name: 'Ada Lovelace' });
  });
});

describe('FileIdentityStore', () => {
  it('replaces the file atomically, readable for its owner only, and leaves no temporary file', async () => {
    const path = join(folder(), 'users.json');
    const store = new FileIdentityStore({ path });
    await store.create({ name: 'Ada' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['users.json']);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ version: 1, users: [{ id: 'ada' }] });
  });

  it('reads manual changes, and names a wrong member in the error', async () => {
    const path = join(folder(), 'users.json');
    const store = new FileIdentityStore({ path });
    const { id } = await store.create({ name: 'Ada' });
    // Some editors write a byte order mark.
    writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8').replace('"Ada"', '"Ada L"')}`);
    expect(await store.get(id)).toMatchObject({ name: 'Ada L' });
    writeFileSync(path, readFileSync(path, 'utf8').replace('"user"', '"owner"'));
    await expect(store.list()).rejects.toThrow(/users\[0\]\.role must be 'admin', 'user' or 'guest'/);
    writeFileSync(path, '{');
    await expect(store.list()).rejects.toThrow(
      `The users file "${path}" is not valid. The list of users is not JSON: `,
    );
    await expect(store.create({ name: 'Bob' })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(readFileSync(path, 'utf8')).toBe('{');
  });

  it('rejects wrong options (contract 42)', () => {
    const create = (options: object): unknown => new FileIdentityStore(options as never);
    expect(() => create({ path: 'x', file: 'y' })).toThrow('FileIdentityStore has no option file.');
    expect(() => create({})).toThrow('path must be a string');
  });
});
