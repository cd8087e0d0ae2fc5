import { createLog } from '../../../lib/log.ts';
import { sandboxContract } from '../contract.ts';
import { createBubblewrapDriver } from './driver.ts';

sandboxContract('bubblewrap', (root) => createBubblewrapDriver({ root, log: createLog('silent') }), {
  isolated: true,
  module: new URL('driver.ts', import.meta.url),
  factory: 'createBubblewrapDriver',
});
