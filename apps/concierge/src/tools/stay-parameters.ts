import { z } from 'zod';

/** When: what finding and booking both take. */
export const stayParameters = {
  from: z.string().optional().describe('First night, as YYYY-MM-DD. Default: today.'),
  nights: z.number().int().optional().describe('How many nights, 1 to 30. Default: 1.'),
};
