import { useMemo } from 'preact/hooks';
import { Empty } from '../components/Empty.tsx';
import { ErrorNote } from '../components/ErrorNote.tsx';
import { Skeleton } from '../components/Skeleton.tsx';
import { useResource } from '../components/use-resource.ts';
import { client } from '../state/client.ts';
import { appName } from '../state/location.ts';
import { shownInvocation } from '../inspector/shown-invocation.ts';
import { events, selectedEvent } from '../state/session.ts';
import { GraphDrawing } from './GraphDrawing.tsx';
import { marksOf } from './marks-of.ts';
import { countNodes, readGraph } from './read-graph.ts';

/** The agents and tools of the open app, with marks on those that ran in the turn. */
export function GraphPanel() {
  const app = appName.value;
  const graph = useResource(app, (signal) => client.graphs.ofApp({ appName: app!, signal }));
  const root = useMemo(() => graph.value && readGraph(graph.value), [graph.value]);
  if (app === undefined) return <Empty title="No app is open" text="Open an app to see its agents and tools." />;
  if (graph.error !== undefined) return <ErrorNote error={graph.error} retry={graph.reload} />;
  if (!graph.value) return <Skeleton lines={5} />;
  if (!root) return <Empty title="Nothing to draw" text="The server does not describe the structure of this app." />;
  const turn = events.value.filter(({ invocationId }) => invocationId === shownInvocation.value);
  const { agents, tools } = countNodes(root);
  return (
    <>
      <p class="muted graph-legend">
        {agents} {agents === 1 ? 'agent' : 'agents'}, {tools} {tools === 1 ? 'tool' : 'tools'}
        {turn.length > 0 && `. Marked: nodes that ran in the ${selectedEvent.value ? 'selected' : 'newest'} turn`}
      </p>
      <GraphDrawing root={root} marks={marksOf(turn)} />
    </>
  );
}
