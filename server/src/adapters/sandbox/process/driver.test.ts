import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import { createProcessDriver } from './driver.ts';

sandboxContract('process', (root) => createProcessDriver({ root, log: createLog('silent') }), {
  isolated: false,
  module: new URL('driver.ts', import.meta.url),
  factory: 'createProcessDriver',
});
