import type { Sandbox, SandboxEnd, SandboxPlaces } from '../../../adapters/sandbox/port.ts';
import { ProviderError } from '../../../lib/errors.ts';

/** A sandbox that starts when something in it is used. */
export interface LazySandbox extends Sandbox {
  readonly isStarted: boolean;
}

/** Creates a sandbox that calls `start` when it is first used, and again if that fails. */
export function createLazySandbox(id: string, places: SandboxPlaces, start: () => Promise<Sandbox>): LazySandbox {
  const ended = Promise.withResolvers<SandboxEnd>();
  let starting: Promise<Sandbox> | undefined;
  let isStarted = false;
  let isEnded = false;

  function use(): Promise<Sandbox> {
    if (isEnded) return Promise.reject(new ProviderError('The sandbox has ended', { retryable: true }));
    starting ??= open();
    return starting;
  }

  async function open(): Promise<Sandbox> {
    try {
      const sandbox = await start();
      isStarted = true;
      void sandbox.ended.then(ended.resolve);
      return sandbox;
    } catch (error) {
      starting = undefined;
      throw error;
    }
  }

  async function end(reason: 'stopped' | 'destroyed'): Promise<void> {
    isEnded = true;
    const sandbox = await starting?.catch(() => undefined);
    if (reason === 'stopped') await sandbox?.stop();
    else await sandbox?.destroy();
    ended.resolve({ reason, detail: `it was ${reason}` });
  }

  return {
    id,
    ...places,
    ended: ended.promise,
    get isStarted() {
      return isStarted;
    },
    exec: async (options) => (await use()).exec(options),
    spawn: async (options) => (await use()).spawn(options),
    openTerminal: async (options) => (await use()).openTerminal(options),
    connect: async (port) => (await use()).connect(port),
    readFile: async (path, options) => (await use()).readFile(path, options),
    copyOut: async (path, target, options) => (await use()).copyOut(path, target, options),
    copyIn: async (source, path, options) => (await use()).copyIn(source, path, options),
    writeFile: async (path, content, options) => (await use()).writeFile(path, content, options),
    writeSecrets: async (values) => (await use()).writeSecrets(values),
    saveLayer: async () => (await use()).saveLayer(),
    stop: () => end('stopped'),
    destroy: () => end('destroyed'),
  };
}
