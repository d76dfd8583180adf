/** Returns an error if this version of Node cannot load agents, which need types to be removed. Undefined otherwise. */
export function explainNodeVersion(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < 22 || (major === 22 && minor < 18);
  return isOld ? `thole needs Node 22.18 or newer, but this is Node ${version}. Install a newer Node.` : undefined;
}
