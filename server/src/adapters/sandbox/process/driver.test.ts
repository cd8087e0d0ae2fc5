import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import { supervisorTimings } from '../supervisor/connection.ts';
import { createProcessDriver } from './driver.ts';

sandboxContract('process', (root, options) => createProcessDriver({ root, log: createLog('silent'), ...options }), {
  isolated: false,
  module: new URL('driver.ts', import.meta.url),
  factory: 'createProcessDriver',
  // One of them with the product's timings.
  silence: supervisorTimings,
});
