import type { Examples } from '../../http/examples.ts';
import type { CreateToolToken } from './schemas.ts';

export const createToolToken: Examples<typeof CreateToolToken> = {
  'A token for a week': { expires_in_days: 7 },
};
