export function entriesOf(folder: string): [entry: string, file: string][];
export function namesOf(folder: string, file: string): [exported: string, { name: string; from?: string }][];
export function exportsText(folder: string): string;
