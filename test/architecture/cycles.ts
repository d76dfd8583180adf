import { importsOf, targetOf } from './imports.ts';

/** Returns the import cycles among these files, without imports of types. */
export function cyclesIn(files: readonly string[]): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const known = new Set(files);
  const visit = (file: string, path: string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const each of importsOf(file)) {
      const target = each.typeOnly ? undefined : targetOf(each);
      if (target !== undefined && known.has(target)) visit(target, [...path, file]);
    }
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return found;
}
