import { idOf } from '../src/client/vertex-client.ts';
import type { VertexClient } from '../src/client/vertex-client.ts';

/** The Agent Engines of a case, and the RAG corpus of all cases. */
export class OwnedResources {
  /** True if the case had more apps than there are engines. */
  needsMoreEngines = false;
  readonly #client: VertexClient;
  readonly #parent: string;
  readonly #location: string;
  #engines: string[] = [];
  #corpus: string | undefined;

  constructor(client: VertexClient, project: string, location: string) {
    this.#client = client;
    this.#parent = `projects/${project}/locations/${location}`;
    this.#location = location;
  }

  /** Creates new engines for the next case, because the state of users and apps outlives their sessions. */
  async prepare(engines: number): Promise<void> {
    this.needsMoreEngines = false;
    while (this.#engines.length < engines) this.#engines.push(await this.#create('reasoningEngines'));
  }

  /** Returns a function that returns a separate engine for each app of a case. */
  enginesOfApps(): (appName: string) => string {
    const apps = new Map<string, string>();
    return (appName) => {
      const engine = apps.get(appName) ?? this.#engines[apps.size];
      if (engine === undefined) {
        this.needsMoreEngines = true;
        throw new Error('The case has more apps than there are engines.');
      }
      apps.set(appName, engine);
      return engine;
    };
  }

  /** Returns the id of the corpus. */
  async corpus(): Promise<string> {
    return (this.#corpus ??= await this.#create('ragCorpora'));
  }

  /** Deletes the resources of a case. */
  async empty(): Promise<void> {
    const engines = this.#engines;
    this.#engines = [];
    for (const engine of engines) await this.#delete(`reasoningEngines/${engine}`);
    if (this.#corpus === undefined) return;
    const files = `ragCorpora/${this.#corpus}/ragFiles`;
    for (const file of await Array.fromAsync(this.#client.pages({ url: this.#url(files) }, 'ragFiles')))
      await this.#delete(`${files}/${idOf(file)}`);
  }

  /** Deletes all resources. */
  async remove(): Promise<void> {
    await this.empty();
    if (this.#corpus !== undefined) await this.#delete(`ragCorpora/${this.#corpus}`);
  }

  async #create(kind: string): Promise<string> {
    const body = { displayName: 'thole record' };
    return idOf(await this.#client.runOperation({ method: 'POST', url: this.#url(kind), body }, this.#location));
  }

  async #delete(path: string): Promise<void> {
    // An engine or a corpus is deleted with its content.
    const query = /^[^/]+\/[^/]+$/.test(path) ? { force: 'true' } : {};
    await this.#client.runOperation({ method: 'DELETE', url: this.#url(path), query }, this.#location);
  }

  #url(path: string): string {
    return this.#client.url({ location: this.#location, name: `${this.#parent}/${path}` });
  }
}
