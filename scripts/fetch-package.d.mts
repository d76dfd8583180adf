export const root: string;
export function fetchPackage(
  packageName: string,
  version: string,
  options?: { group?: string; beside?: readonly string[] },
): Promise<string>;
export function fetchPeer(
  packageName: string,
  version: string,
  options?: { beside?: readonly string[] },
): Promise<string>;
export function npm(args: readonly string[]): Promise<number>;
