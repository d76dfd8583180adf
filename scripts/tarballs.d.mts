export function publishedPackages(): { folder: string; name: string; version: string }[];
export function packAll(into: string): Map<string, string>;
