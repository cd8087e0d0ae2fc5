import type { Examples } from '../../http/examples.ts';
import type { CreateKey, RotateKey } from './schemas.ts';

/** Of whomever it is. */
export const createKey: Examples<typeof CreateKey> = {
  'A key that starts and reads sessions': {
    name: 'production',
    scopes: ['run', 'sessions:read'],
    expires_at: '2099-12-31T00:00:00Z',
    ip_ranges: ['203.0.113.0/24'],
  },
};

export const rotateKey: Examples<typeof RotateKey> = {
  'The old key works for another hour': { overlap_seconds: 3_600 },
};
