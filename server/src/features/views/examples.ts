import type { Examples } from '../../http/examples.ts';
import type { CreateView } from './schemas.ts';

export const createView: Examples<typeof CreateView> = {
  'Failed sessions of one repository': {
    list: 'sessions',
    name: 'Failed in the shop',
    query: { status: 'failed', repo: 'acme/shop' },
  },
};
