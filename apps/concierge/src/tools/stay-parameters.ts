import { z } from 'zod';

/** Dates of a stay, for finding and booking. */
export const stayParameters = {
  from: z.string().optional().describe('First night, as YYYY-MM-DD. Default: today.'),
  nights: z.number().int().optional().describe('How many nights, 1 to 30. Default: 1.'),
};
