export async function servePage(_companion: unknown, _port: number): Promise<{ url: string; close(): Promise<void> }> {
  throw new Error();
}
