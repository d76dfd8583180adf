import { defineConfig } from 'vitest/config';
import { SkipReporter } from './test/servers/skip-reporter.ts';
import { isLong } from './test/servers/long.ts';
import { memoryFolder } from './test/servers/memory-folder.ts';

const tests = ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'];
const slow = '**/*.slow.test.ts';
const packed = 'test/packed/**';
const onServers = '**/*.server.test.ts';
const inBrowser = '**/*.browser.test.ts';
const never = ['**/node_modules/**', '**/dist/**'];
// These tests often wait for servers, leases, processes and pages, so that more workers than cores are faster. One group:
// nobody waits for the last file of a project.
const waiting = { maxWorkers: 4, sequence: { groupOrder: 1 } };
const folder = memoryFolder();
const withMemoryFolder = folder === undefined ? {} : { env: { TMPDIR: folder } };

export default defineConfig({
  // Sources, not dist. The list replaces vitest's own, which has `module`: Node does not know that condition, and the AWS
  // SDK has files behind it that only bundlers can load. `resolve.conditions` has no effect on tests in Node.
  ssr: { resolve: { conditions: ['@thole/source', 'node', 'development|production'] } },
  test: {
    // More than cores: some tests wait for sockets and timers.
    maxWorkers: 3,
    // One process runs hundreds of files. With room for new objects, V8 collects them rarely: a fifth less CPU time.
    execArgv: ['--max-semi-space-size=64'],
    // Generous: tests assert order and counts, and property tests take long on a busy machine.
    testTimeout: 30_000,
    // `expect.poll` waits for processes, servers and timers. Below `testTimeout`, so that the error shows the last value.
    expect: { poll: { timeout: 20_000 } },
    reporters: [new SkipReporter(), 'default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          isolate: false,
          ...withMemoryFolder,
          include: tests,
          exclude: [...never, slow, packed, onServers, inBrowser],
        },
      },
      // Tests that start processes, wait for real time limits or compare thousands of random cases; not in `pnpm check`.
      {
        extends: true,
        test: {
          name: 'slow',
          isolate: false,
          ...waiting,
          ...withMemoryFolder,
          include: [slow],
          exclude: never,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      // On real Redis, PostgreSQL and MariaDB, which are found or installed; only in `npm test` and `pnpm test:long`.
      {
        extends: true,
        test: {
          name: 'servers',
          isolate: false,
          ...waiting,
          include: [onServers],
          exclude: never,
          globalSetup: ['test/servers/global-setup.ts'],
          testTimeout: isLong ? 1_800_000 : 120_000,
          hookTimeout: 120_000,
        },
      },
      // In a real Chromium, which is found or installed; only in `npm test`.
      {
        extends: true,
        test: {
          name: 'browser',
          isolate: false,
          ...waiting,
          include: [inBrowser],
          exclude: never,
          globalSetup: ['test/browser/global-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      // Over packed tarballs, after a build; only in `npm test`.
      {
        extends: true,
        test: {
          name: 'packed',
          ...waiting,
          include: [`${packed}/*.test.ts`],
          exclude: never,
          globalSetup: ['test/packed/build.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
