let subjects = 0;

/** Returns a function that returns a separate Agent Engine for each app. No other caller uses these engines. */
export function newEngines(): (appName: string) => string {
  const subject = ++subjects;
  const apps = new Map<string, string>();
  return (appName) => {
    const engine = apps.get(appName) ?? `${subject}000${apps.size}`;
    apps.set(appName, engine);
    return engine;
  };
}
