import type { Examples } from '../../http/examples.ts';
import type { AddIpAccessEntry, ReplaceIpAccessList } from './schemas.ts';

export const replaceIpAccessList: Examples<typeof ReplaceIpAccessList> = {
  'The office and the build servers': {
    enabled: true,
    entries: [
      { cidr: '203.0.113.0/24', note: 'Office' },
      { cidr: '2001:db8:20::/48', note: 'Build servers' },
    ],
  },
};

export const addIpAccessEntry: Examples<typeof AddIpAccessEntry> = {
  'A single address': { cidr: '198.51.100.17', note: 'VPN' },
};
