let subjects = 0;

/** Returns a function that gives each app an Agent Engine which no other caller uses. */
export function newEngines(): (appName: string) => string {
  const subject = ++subjects;
  const apps = new Map<string, string>();
  return (appName) => {
    const engine = apps.get(appName) ?? `${subject}000${apps.size}`;
    apps.set(appName, engine);
    return engine;
  };
}
