import { Empty } from '../../components/Empty.tsx';
import { openApp } from '../../state/apps.ts';
import { appName, userId } from '../../state/location.ts';
import { UserMemory } from './UserMemory.tsx';
import { RecalledPart } from './RecalledPart.tsx';

/** The memories recalled for the turn, and all memories. */
export function MemoryPanel() {
  if (appName.value === undefined) return <Empty title="No app is open" text="Open an app to see its memory." />;
  const hasMemory = openApp()?.services?.memory;
  return (
    <>
      <RecalledPart />
      {hasMemory === false ? (
        <Empty
          title="This app has no memory"
          text="Give the server a memory service and add load_memory or preload_memory to the agents. They can then use earlier sessions."
        />
      ) : (
        // Another user has another component: a late response must not show memories of the user before.
        <UserMemory key={JSON.stringify([appName.value, userId.value])} listsAtOnce={hasMemory === true} />
      )}
    </>
  );
}
