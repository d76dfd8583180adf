import { describe, expect, it } from 'vitest';
import { explainNodeVersion } from '../src/explain-node-version.ts';

describe('explainNodeVersion', () => {
  it.each(['18.20.8', '20.20.2', '22.17.1'])('returns an error that names both versions for Node %s', (version) => {
    expect(explainNodeVersion(version)).toBe(
      `thole needs Node 22.18 or newer, but this is Node ${version}. Install a newer Node.`,
    );
  });

  it.each(['22.18.0', '24.11.0', '26.10.0'])('returns undefined for Node %s', (version) => {
    expect(explainNodeVersion(version)).toBeUndefined();
  });
});
