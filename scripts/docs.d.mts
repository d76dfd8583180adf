export function writeReference(): Promise<void>;
export function buildSite(): Promise<void>;
