/** The time of runs over HTTP, batch by batch: wall time and CPU of the server, in µs per run. */
export class RunSamples {
  readonly wall: number[] = [];
  readonly cpu: number[] = [];

  add({ wall, cpu }: { wall: number; cpu: number }): void {
    this.wall.push(wall);
    this.cpu.push(cpu);
  }
}
