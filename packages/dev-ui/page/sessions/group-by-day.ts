/** Items of one day, under its name. */
export interface DayGroup<T> {
  /** `today`, `yesterday`, a weekday, or a date. */
  day: string;
  items: T[];
}

/**
 * Groups items by day in the reader's time zone, and keeps their order. Days are named `today`, `yesterday`, by weekday
 * within a week, or by date.
 */
export function groupByDay<T>(items: readonly T[], secondsOf: (item: T) => number, now: Date): DayGroup<T>[] {
  const groups: DayGroup<T>[] = [];
  for (const item of items) {
    const day = dayName(new Date(secondsOf(item) * 1_000), now);
    const last = groups.at(-1);
    if (last?.day === day) last.items.push(item);
    else groups.push({ day, items: [item] });
  }
  return groups;
}

function dayName(date: Date, now: Date): string {
  // Rounded, because a day may have 23 or 25 hours.
  const days = Math.round((startOf(now) - startOf(date)) / 86_400_000);
  if (days <= 0) return 'today';
  if (days === 1) return 'yesterday';
  if (days < 7) return date.toLocaleDateString(undefined, { weekday: 'long' });
  const year = date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'long', year });
}

const startOf = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
