import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../architecture/workspace.ts';

/** Time of open responses, and of a database that does not answer: the clean-up of the runs, then one call of the store. */
const RESPONSES_S = 2;
const SQL_S = 10 + 30;
const REDIS_S = 10 + 5;

describe('docs/deploy', () => {
  it.each([
    ['compose.yaml', /stop_grace_period: (\d+)s/, SQL_S],
    ['compose.redis.yaml', /stop_grace_period: (\d+)s/, REDIS_S],
    ['fly.toml', /kill_timeout = (\d+)/, SQL_S],
    ['shop.service', /TimeoutStopSec=(\d+)/, SQL_S],
  ])('grants the time that a shutdown can take in %s', (file, limit, databaseS) => {
    const text = readFileSync(join(root, 'docs/deploy', file), 'utf8');
    const msOf = (name: string): number => Number(new RegExp(`${name}\\W+(\\d+)`).exec(text)?.[1] ?? 0);
    const neededS = (msOf('DRAIN_MS') + msOf('STOP_MS')) / 1_000 + RESPONSES_S + databaseS;
    expect(Number(limit.exec(text)?.[1])).toBeGreaterThanOrEqual(neededS);
  });
});
