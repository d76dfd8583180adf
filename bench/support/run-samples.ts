/** Samples of runs over HTTP, one per batch: wall time and CPU time of the server, in µs per run. */
export class RunSamples {
  readonly wall: number[] = [];
  readonly cpu: number[] = [];

  add({ wall, cpu }: { wall: number; cpu: number }): void {
    this.wall.push(wall);
    this.cpu.push(cpu);
  }
}
