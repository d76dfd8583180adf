import type { GoogleAnswer, GoogleRequest, Routes } from './google-server.ts';
export class MemoryRoutes implements Routes {
  constructor(..._p: unknown[]) {}
  answer(_request: GoogleRequest): GoogleAnswer | undefined {
    return undefined;
  }
}
