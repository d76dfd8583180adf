import { expect, it } from 'vitest';
import { Connections } from '../../src/services/connections.ts';

it('opens one connection of a name, for all who ask, and closes each once', async () => {
  const said: string[] = [];
  const connections = new Connections();
  const open = (name: string): Promise<string> =>
    connections.open(name, async () => {
      said.push(`open ${name}`);
      return { value: name, close: async () => void said.push(`close ${name}`) };
    });
  expect(await Promise.all([open('a'), open('a'), open('b')])).toEqual(['a', 'a', 'b']);
  await connections.close();
  expect(said).toEqual(['open a', 'open b', 'close a', 'close b']);
});

it('closes what was opened, where another could not be', async () => {
  const connections = new Connections();
  let isClosed = false;
  await connections.open('a', async () => ({ value: 1, close: async () => void (isClosed = true) }));
  await expect(connections.open('b', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  await connections.close();
  expect(isClosed).toBe(true);
});
