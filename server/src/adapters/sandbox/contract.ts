import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { capabilitiesContract } from './contract/capabilities-fixture.ts';
import { commandsContract } from './contract/commands-fixture.ts';
import { filesContract } from './contract/files-fixture.ts';
import { isolationContract } from './contract/isolation-fixture.ts';
import { lifeContract } from './contract/life-fixture.ts';
import { limitsContract } from './contract/limits-fixture.ts';
import { preparedContract } from './contract/prepared-fixture.ts';
import { supervisorContract } from './contract/supervisor-fixture.ts';
import { terminalContract } from './contract/terminal-fixture.ts';
import { limits, type SandboxWorld } from './contract/world-fixture.ts';
import type { Sandbox, SandboxDriver, SandboxIsolation } from './port.ts';
import { supervisorTimings, type SupervisorTimings } from './supervisor/connection.ts';

export interface ContractOptions extends Pick<SandboxWorld, 'isolated' | 'module' | 'factory'> {
  /** Timeouts to detect a stopped supervisor; short by default. */
  silence?: Readonly<SupervisorTimings>;
}

type MakeDriver = (root: string, options: { timings: Readonly<SupervisorTimings> }) => SandboxDriver;

/** Contract of every sandbox driver. `makeDriver` gets an empty directory. */
export function sandboxContract(name: string, makeDriver: MakeDriver, options: ContractOptions): void {
  const { isolated, silence = { pingEveryMs: 500 } } = options;
  describe(`sandbox ${name}`, () => {
    let base: string;
    let root: string;
    let driver: SandboxDriver;
    let isolation: SandboxIsolation;
    let shared: Sandbox;
    let count = 0;
    const world: SandboxWorld = {
      ...options,
      tag: randomInt(1_000_000, 9_999_999),
      get base() {
        return base;
      },
      get root() {
        return root;
      },
      get driver() {
        return driver;
      },
      get isolation() {
        return isolation;
      },
      get shared() {
        return shared;
      },
      makeDriver: () => makeDriver(root, { timings: supervisorTimings }),
      create: (asked = {}) => driver.create({ id: `ses_${(count += 1)}`, limits, ...asked }),
      run: (sandbox, command) => sandbox.exec({ command, timeoutMs: 20_000 }),
      async output(sandbox, command) {
        const result = await world.run(sandbox, command);
        return (result.stdout.toString() + result.stderr.toString()).trim();
      },
      async script(sandbox, source) {
        const result = await sandbox.exec({ command: ['node', '-e', source], timeoutMs: 20_000 });
        return result.stdout.toString().trim() || result.stderr.toString();
      },
    };

    beforeAll(async () => {
      process.env['GUILDHALL_CANARY'] = 'canary-of-the-host';
      base = await mkdtemp(join(tmpdir(), 'sandbox-contract-'));
      root = join(base, 'root');
      driver = world.makeDriver();
      const probed = await driver.probe();
      expect(probed.problem).toBe('');
      isolation = probed.isolation;
      expect(isolation.kind).toBe(isolated ? 'namespaces' : 'none');
      shared = await world.create();
    });

    afterAll(async () => {
      await shared.destroy();
      await rm(base, { recursive: true, force: true });
    });

    commandsContract(world);
    filesContract(world);
    terminalContract(world);
    capabilitiesContract(world);
    const impatient = () => makeDriver(join(base, 'impatient'), { timings: silence });
    supervisorContract({
      isolated,
      create: () => world.create(),
      createImpatient: () => impatient().create({ id: 'ses_impatient', limits }),
      run: (sandbox, command) => world.run(sandbox, command),
      shared: () => shared,
    });
    lifeContract(world);
    limitsContract(world);
    // A driver without isolation promises none of this, so these are not skipped tests.
    if (isolated) {
      describe('isolation', () => isolationContract(world));
      describe('prepared', () => preparedContract(world));
    }
  });
}
