import type { Part } from '@thole/core';
import { useState } from 'preact/hooks';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Icon } from '../../components/icons.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { useResource } from '../../components/use-resource.ts';
import { client } from '../../state/client.ts';
import { openKey, sessionRef } from '../../state/session.ts';
import { DiffText } from '../DiffText.tsx';
import { lineDiff } from '../line-diff.ts';
import { LargeFile } from './LargeFile.tsx';
import { loadArtifact } from './load-artifact.ts';
import { PreviewBox } from './PreviewBox.tsx';
import { bytesOf, previewOf } from './preview-of.ts';
import { after } from '../../state/clock.ts';

/** One file: one version, or two versions side by side. `revision` changes when a version may have been saved. */
export function ArtifactView({ filename, revision }: { filename: string; revision: number }) {
  const [chosen, setChosen] = useState<number | undefined>(undefined);
  const [other, setOther] = useState<number | undefined>(undefined);
  const ref = { ...sessionRef.value!, filename };
  const key = `${openKey.value} ${filename}`;
  const versions = useResource(`${key} ${revision}`, (signal) => client.artifacts.versions({ ...ref, signal }));
  const numbers = (versions.value ?? []).toSorted((a, b) => b - a);
  const version = chosen ?? numbers[0];
  const [requested, setRequested] = useState<readonly string[]>([]);
  const loaded = useVersion(version);
  const compared = useVersion(other);
  if (versions.error !== undefined) return <ErrorNote error={versions.error} retry={versions.reload} />;

  function useVersion(wanted: number | undefined) {
    const isRequested = requested.includes(`${key} ${wanted}`);
    return useResource(wanted === undefined ? undefined : `${key} ${wanted} ${isRequested}`, (signal) =>
      loadArtifact({ ...ref, version: wanted!, signal }, isRequested),
    );
  }

  const part = loaded.value?.part;
  const error = loaded.error ?? compared.error;
  return (
    <section aria-label={filename} class="artifact">
      <div class="panel-bar">
        <label class="select-label">
          <span>Version</span>
          <select
            class="field"
            value={String(version ?? '')}
            onChange={(e) => setChosen(Number(e.currentTarget.value))}
          >
            {numbers.map((number) => (
              <option key={number} value={String(number)}>
                {number}
              </option>
            ))}
          </select>
        </label>
        <label class="select-label">
          <span>Compare with</span>
          <select
            class="field"
            value={String(other ?? '')}
            disabled={numbers.length < 2}
            onChange={(e) => setOther(e.currentTarget.value === '' ? undefined : Number(e.currentTarget.value))}
          >
            <option value="">none</option>
            {numbers
              .filter((number) => number !== version)
              .map((number) => (
                <option key={number} value={String(number)}>
                  {number}
                </option>
              ))}
          </select>
        </label>
        <button
          type="button"
          class="button"
          disabled={!part?.inlineData && part?.text === undefined}
          onClick={() => part && download(filename, part)}
        >
          <Icon name="download" /> Download
        </button>
      </div>
      {error !== undefined && (
        <ErrorNote error={error} retry={loaded.error === undefined ? compared.reload : loaded.reload} />
      )}
      {!loaded.value && error === undefined && <Skeleton lines={5} />}
      {part && <Versions shown={{ version, part }} beside={{ version: other, part: compared.value?.part }} />}
      {[
        { number: version, file: loaded.value },
        { number: other, file: compared.value },
      ].map(
        ({ number, file }) =>
          file &&
          !file.part && (
            <LargeFile
              key={number}
              label={`Version ${number}`}
              mimeType={file.mimeType}
              bytes={file.bytes}
              load={() => setRequested([...requested, `${key} ${number}`])}
            />
          ),
      )}
    </section>
  );
}

interface Shown {
  version: number | undefined;
  part: Part | undefined;
}

function Versions({ shown, beside }: { shown: Shown & { part: Part }; beside: Shown }) {
  const preview = previewOf(shown.part);
  if (beside.version === undefined || !beside.part)
    return <PreviewBox preview={preview} label={`Version ${shown.version}`} />;
  const other = previewOf(beside.part);
  const [older, newer] = beside.version < (shown.version ?? 0) ? [other, preview] : [preview, other];
  const [from, to] = [beside.version, shown.version ?? 0].toSorted((a, b) => a - b);
  return (
    <>
      {older.kind === 'text' && newer.kind === 'text' && (
        <DiffText lines={lineDiff(older.text, newer.text)} label={`Changes from version ${from} to ${to}`} />
      )}
      <div class="beside">
        <PreviewBox preview={older} label={`Version ${from}`} />
        <PreviewBox preview={newer} label={`Version ${to}`} />
      </div>
    </>
  );
}

function download(filename: string, part: Part): void {
  const type = part.inlineData?.mimeType ?? 'text/plain';
  const url = URL.createObjectURL(new Blob([bytesOf(part)], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename
    .replace(/^user:/, '')
    .split('/')
    .at(-1)!;
  link.click();
  after(10_000, () => URL.revokeObjectURL(url));
}
