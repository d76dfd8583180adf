import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProtocolServer } from '@thole/testing/http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../packages/sql-services/test/support/create-database.ts';
import { startCuttingProxy } from '../../packages/sql-services/test/support/cutting-proxy.ts';
import { root } from '../architecture/workspace.ts';
import { describeWith } from '../servers/describe-with.ts';
import { startRedis } from '../servers/start-redis.ts';
import { startDeployed, startModel } from './deployed-server.ts';
import type { DeployedServer } from './deployed-server.ts';
import { packageFlags } from '../servers/package-flags.ts';

const flags = [...packageFlags, '--disable-warning=ExperimentalWarning'];
const message = { appName: 'shop', userId: 'ada', sessionId: 'web' };
const newMessage = { role: 'user', parts: [{ text: 'What do you sell?' }] };

for (const [kind, variable, openDatabase] of [
  ['postgres', 'DATABASE_URL', (url: string) => createDatabase('postgres', url)],
  ['redis', 'REDIS_URL', () => startRedis()],
] as const) {
  describeWith(kind, `docs/deploy/server.ts with ${variable}`, (sharedUrl) => {
    const folder = mkdtempSync(join(tmpdir(), 'thole-deploy-'));
    let database: { url: string; remove(): Promise<void> };
    let model: ProtocolServer;
    const servers: DeployedServer[] = [];
    const env = (): NodeJS.ProcessEnv => ({ DATABASE_URL: '', REDIS_URL: '', [variable]: database.url });

    beforeAll(async () => {
      cpSync(join(root, 'docs/deploy'), folder, { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'dir');
      [database, model] = await Promise.all([openDatabase(sharedUrl), startModel('We sell shoes.')]);
    });
    afterAll(async () => {
      for (const server of servers) server.kill();
      await Promise.all([database?.remove(), model?.close()]);
      rmSync(folder, { recursive: true, force: true });
    });

    if (kind === 'postgres') {
      it('uses tables that migrate.ts created', async () => {
        const { stdout } = await promisify(execFile)(process.execPath, [...flags, 'migrate.ts'], {
          cwd: folder,
          env: { ...process.env, ...env() },
        });
        expect(stdout).toBe('The tables are up to date.\n');
      });
    }

    it('shares sessions between two instances, also after one was killed', async () => {
      const command = [process.execPath, ...flags, 'server.ts'];
      const start = () => startDeployed({ command, cwd: folder, model, env: env() });
      servers.push(...(await Promise.all([start(), start()])));
      const [first, second] = servers;
      expect((await first!.request('/apps/shop/users/ada/sessions', { sessionId: 'web' })).status).toBe(200);
      const answer = await first!.request('/run', { ...message, newMessage });
      expect(await answer.text()).toContain('We sell shoes.');
      first!.kill();
      const session = (await (await second!.request('/apps/shop/users/ada/sessions/web')).json()) as {
        events: unknown[];
      };
      expect(session.events).toHaveLength(2);
      expect((await second!.request('/run', { ...message, newMessage })).status).toBe(200);
      expect(await second!.stop()).toBe(0);
    });

    it('ends although the database does not answer', async () => {
      const url = new URL(database.url);
      const proxy = await startCuttingProxy(Number(url.port));
      url.port = `${proxy.port}`;
      const command = [process.execPath, ...flags, 'server.ts'];
      const server = await startDeployed({ command, cwd: folder, model, env: { ...env(), [variable]: url.href } });
      servers.push(server);
      expect((await server.request('/apps/shop/users/ada/sessions', { sessionId: 'silent' })).status).toBe(200);
      proxy.freeze();
      expect(await server.stop()).toBe(0);
      await proxy.close();
    });
  });
}
