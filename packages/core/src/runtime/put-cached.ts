/** Adds an entry to a map, as the newest one. Removes the oldest entry if there are more than `maxSize`. */
export function putCached<V>(map: Map<string, V>, key: string, value: V, maxSize: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > maxSize) map.delete(map.keys().next().value!);
}
