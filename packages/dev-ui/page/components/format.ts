/** Returns a duration as `3 ms`, `1.2 s` or `2 min 5 s`. Empty for an invalid duration. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1) return '<1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${minutes} min ${seconds % 60} s`;
}

// Created once, because creating a formatter takes longer than a hundred uses.
const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Returns the time of day. The argument is in seconds since the epoch. */
export function formatTime(seconds: number): string {
  return timeOfDay.format(seconds * 1_000);
}

/** Returns day and time. The argument is in seconds since the epoch. */
export function formatMoment(seconds: number): string {
  return moment.format(seconds * 1_000);
}

/** Returns the day. The argument is in seconds since the epoch. */
export function formatDay(seconds: number): string {
  return day.format(seconds * 1_000);
}

/** Returns `now`, `3 min`, or after an hour the time of day. The first argument is in seconds since the epoch. */
export function formatAge(seconds: number, nowMs: number): string {
  const minutes = Math.floor((nowMs / 1_000 - seconds) / 60);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  return formatTime(seconds);
}

/** Returns a number in the reader's locale, such as `1,204`. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}

/** Returns a size as `512 B`, `3.4 kB` or `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${(bytes / 1_000).toFixed(bytes < 9_950 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
