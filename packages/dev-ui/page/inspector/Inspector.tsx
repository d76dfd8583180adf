import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react';
import type { FunctionComponent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { GraphPanel } from '../graph/GraphPanel.tsx';
import { inspectorTab, openTab, selectedEventId } from '../state/location.ts';
import { tabs } from '../state/route.ts';
import type { Tab as TabName } from '../state/route.ts';
import { ArtifactsPanel } from './artifacts/ArtifactsPanel.tsx';
import { EventPanel } from './event/EventPanel.tsx';
import { MemoryPanel } from './memory/MemoryPanel.tsx';
import { RequestPanel } from './request/RequestPanel.tsx';
import { StatePanel } from './state/StatePanel.tsx';
import { followSpans } from './trace/session-spans.ts';
import { TracePanel } from './trace/TracePanel.tsx';
import './inspector.css';
import './tree/tree.css';
import './request/request.css';
import './state/state.css';
import './memory/memory.css';
import './artifacts/artifacts.css';
import './trace/trace.css';

const panels: Record<TabName, { name: string; Panel: FunctionComponent }> = {
  event: { name: 'Event', Panel: EventPanel },
  request: { name: 'Request', Panel: RequestPanel },
  state: { name: 'State', Panel: StatePanel },
  memory: { name: 'Memory', Panel: MemoryPanel },
  artifacts: { name: 'Artifacts', Panel: ArtifactsPanel },
  trace: { name: 'Trace', Panel: TracePanel },
  graph: { name: 'Graph', Panel: GraphPanel },
};

/** Details of the selected event. */
export function Inspector() {
  useEffect(followSpans, []);
  const selected = inspectorTab.value;
  const list = useRef<HTMLDivElement>(null);
  // On a phone the selected tab may be outside the visible part of the list.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <div class="inspector">
      <TabProvider
        selectedId={selected}
        setSelectedId={(id: string | null | undefined) => openTab(tabs.find((tab) => tab === id) ?? selected)}
      >
        <TabList ref={list} class="tab-list" aria-label="Inspector">
          {tabs.map((tab) => (
            <Tab key={tab} id={tab} class="tab">
              {panels[tab].name}
            </Tab>
          ))}
        </TabList>
        <TabPanel key={selected} tabId={selected} class="tab-panel">
          <OpenPanel tab={selected} />
        </TabPanel>
      </TabProvider>
    </div>
  );
}

function OpenPanel({ tab }: { tab: TabName }) {
  const { Panel } = panels[tab];
  return (
    <ErrorBoundary resetKey={selectedEventId.value}>
      <Panel />
    </ErrorBoundary>
  );
}
