import { useMemo } from 'preact/hooks';
import { Empty } from '../parts/Empty.tsx';
import { ErrorNote } from '../parts/ErrorNote.tsx';
import { Skeleton } from '../parts/Skeleton.tsx';
import { useResource } from '../parts/use-resource.ts';
import { client } from '../state/client.ts';
import { appName } from '../state/location.ts';
import { events, selectedEvent } from '../state/session.ts';
import { GraphDrawing } from './GraphDrawing.tsx';
import { marksOf } from './marks-of.ts';
import { countNodes, readGraph } from './read-graph.ts';

/** The agents and tools of the open app, with those marked that the selected event is of. */
export function GraphPanel() {
  const app = appName.value;
  const graph = useResource(app, (signal) => client.graphs.ofApp({ appName: app!, signal }));
  const root = useMemo(() => graph.value && readGraph(graph.value), [graph.value]);
  if (app === undefined) return <Empty title="No app is open" text="Open an app to see its agents and tools." />;
  if (graph.error !== undefined) return <ErrorNote error={graph.error} retry={graph.reload} />;
  if (!graph.value) return <Skeleton lines={5} />;
  if (!root) return <Empty title="Nothing to draw" text="The server does not tell how this app is built." />;
  const event = selectedEvent.value ?? events.value.findLast(({ author }) => author !== 'user');
  const { agents, tools } = countNodes(root);
  return (
    <>
      <p class="muted graph-legend">
        {agents} {agents === 1 ? 'agent' : 'agents'}, {tools} {tools === 1 ? 'tool' : 'tools'}
        {event && `, marked for ${selectedEvent.value ? 'the selected' : 'the newest'} event`}
      </p>
      <GraphDrawing root={root} marks={marksOf(event)} />
    </>
  );
}
