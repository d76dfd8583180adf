export function differences(benchmarks: string): string;
export function replaceBetween(text: string, name: string, lines: string): string;
