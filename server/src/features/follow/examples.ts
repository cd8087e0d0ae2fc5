import type { Examples } from '../../http/examples.ts';
import type { ActOnFollow, ReplaceFollowPolicy } from './schemas.ts';

export const replaceFollowPolicy: Examples<typeof ReplaceFollowPolicy> = {
  'Fix, and let the host merge': { mode: 'fix', auto_merge: 'provider', trusted_bots: ['renovate[bot]'] },
  'Only tell': { mode: 'notify' },
};

export const actOnFollow: Examples<typeof ActOnFollow> = {
  'Wait for now': { action: 'pause' },
};
