import { describe, expect, it } from 'vitest';
import { Connections } from '../src/connections.ts';

describe('Connections', () => {
  it('opens one connection per name, and closes each connection once', async () => {
    const steps: string[] = [];
    const connections = new Connections();
    const open = (name: string): Promise<string> =>
      connections.open(name, async () => {
        steps.push(`open ${name}`);
        return { value: name, close: async () => void steps.push(`close ${name}`) };
      });
    expect(await Promise.all([open('a'), open('a'), open('b')])).toEqual(['a', 'a', 'b']);
    await connections.close();
    expect(steps).toEqual(['open a', 'open b', 'close a', 'close b']);
  });

  it('closes open connections if another connection failed', async () => {
    const connections = new Connections();
    let isClosed = false;
    await connections.open('a', async () => ({ value: 1, close: async () => void (isClosed = true) }));
    await expect(connections.open('b', () => Promise.reject(new Error('refused')))).rejects.toThrow('refused');
    await connections.close();
    expect(isClosed).toBe(true);
  });
});
