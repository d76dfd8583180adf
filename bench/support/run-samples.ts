/** What runs over HTTP took, batch by batch: wall time and CPU of the server, in µs a run. */
export class RunSamples {
  readonly wall: number[] = [];
  readonly cpu: number[] = [];

  add({ wall, cpu }: { wall: number; cpu: number }): void {
    this.wall.push(wall);
    this.cpu.push(cpu);
  }
}
