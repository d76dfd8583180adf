import { useState } from 'preact/hooks';
import { Empty } from '../../components/Empty.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useResource } from '../../components/use-resource.ts';
import { openApp } from '../../state/apps.ts';
import { client } from '../../state/client.ts';
import { events, openKey, selectedEvent, sessionRef } from '../../state/session.ts';
import { ArtifactView } from './ArtifactView.tsx';
import { savedVersions } from './saved-versions.ts';
import { sortArtifacts } from './sort-artifacts.ts';

/** The files of the session and its user, with their versions. */
export function ArtifactsPanel() {
  const saved = savedVersions(events.value);
  // If the server does not report its services, request the list only if events saved files.
  const hasService = openApp()?.services?.artifacts ?? saved.size > 0;
  const key = hasService ? openKey.value : undefined;
  // The number changes with each saved version, which triggers a reload.
  const count = [...saved.values()].reduce((sum, each) => sum + each, 0);
  const list = useResource(key && `${key} ${count}`, (signal) =>
    client.artifacts.list({ ...sessionRef.peek()!, signal }),
  );
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  if (!sessionRef.value) return <Empty title="No session is open" text="Open a session to see its files." />;
  if (!hasService)
    return (
      <Empty
        title="This app stores no files"
        text="Configure an artifact service, so that tools can save files and uploads are stored. Example: thole web --artifact_service_uri memory://"
      />
    );
  if (list.error !== undefined) return <ErrorNote error={list.error} retry={list.reload} />;
  if (!list.value) return <Skeleton lines={4} />;
  if (list.value.length === 0)
    return <Empty title="No files yet" text="This tab shows files that tools save in this session or for the user." />;
  const changed = selectedEvent.value?.actions.artifactDelta ?? {};
  const rows = sortArtifacts(list.value);
  const open =
    rows.find(({ filename }) => filename === chosen) ??
    rows.find(({ filename }) => Object.hasOwn(changed, filename)) ??
    rows[0]!;
  return (
    <>
      <ul class="artifact-list" aria-label="Files">
        {rows.map(({ filename, isOfUser }) => (
          <li key={filename}>
            <button
              type="button"
              class="row artifact-row"
              aria-current={filename === open.filename}
              onClick={() => setChosen(filename)}
            >
              <span class="artifact-name">{isOfUser ? filename.slice('user:'.length) : filename}</span>
              {isOfUser && <span class="chip">in every session</span>}
              {Object.hasOwn(changed, filename) && <span class="chip">saved by the selected event</span>}
            </button>
          </li>
        ))}
      </ul>
      <ArtifactView key={open.filename} filename={open.filename} revision={count} />
    </>
  );
}
