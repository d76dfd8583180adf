import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aptNames, packageOf } from './server-kind.ts';
import type { ProgramKind } from './server-kind.ts';
import { ServerMissing } from './server-missing.ts';

/** Returns the result of `find`, after an installation if that is possible. Throws `ServerMissing` otherwise. */
export async function findOrInstall<Found>(kind: ProgramKind, find: () => Found | undefined): Promise<Found> {
  const found = find();
  if (found !== undefined) return found;
  if (!canInstall()) throw new ServerMissing(kind, 'tests install it only as root on Debian or Ubuntu');
  console.log(`servers: installing ${aptNames(kind)} with apt-get`);
  await install(kind);
  const installed = find();
  if (installed === undefined) throw new Error(`apt-get installed ${aptNames(kind)}, but its programs are not found.`);
  return installed;
}

/** True for root on Debian or Ubuntu. Then a missing server is a failure, not a reason to skip tests. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get');
}

// `flock` holds the lock, so the kernel releases it when the process ends. The policy file keeps a package from starting its
// service; a service that runs anyway is stopped. Only tests start servers.
const script = `
set -e
export DEBIAN_FRONTEND=noninteractive
service=$1
shift
if dpkg-query -W -f='\${Status}\n' "$@" 2>/dev/null | grep -q 'ok installed'; then exit 0; fi
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\\nexit 101\\n' > "$policy"
  chmod 755 "$policy"
fi
get() { apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 "$1"; }
first() { for each in "$@"; do if get "$each"; then return; fi; done; return 1; }
first "$@" || { apt-get update && first "$@"; }
[ -z "$service" ] || service "$service" stop >/dev/null 2>&1 || true
`;

async function install(kind: ProgramKind): Promise<void> {
  const { apt, service = '' } = packageOf[kind];
  const args = [join(tmpdir(), 'thole-apt.lock'), 'sh', '-c', script, 'sh', service, ...apt];
  const { code, output } = await new Promise<{ code: number | null; output: string }>((resolve, reject) => {
    const child = spawn('flock', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
  if (code !== 0)
    throw new Error(`apt-get could not install ${aptNames(kind)} (exit ${code}):\n${output.slice(-2_000)}`);
}
