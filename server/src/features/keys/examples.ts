import type { Examples } from '../../http/examples.ts';
import type { CreateKey, RotateKey } from './schemas.ts';

/** For keys of any owner. */
export const createKey: Examples<typeof CreateKey> = {
  'A key that starts and reads sessions': {
    name: 'production',
    scopes: ['run', 'sessions:read'],
    expires_at: '2099-12-31T00:00:00Z',
    ip_ranges: ['203.0.113.0/24'],
  },
};

export const rotateKey: Examples<typeof RotateKey> = {
  'Keep the old key for an hour': { overlap_seconds: 3_600 },
};
