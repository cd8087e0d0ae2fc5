import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config/config.ts';
import { UsageError } from '../config/values.ts';
import type { Database } from '../db/pool.ts';
import { setOperatorPassword } from '../features/auth/password-service.ts';
import { openBlobs } from './context.ts';
import { readOnce, withDatabase, withKeyRing } from './admin-database.ts';
import { doctor } from './doctor.ts';
import { rebuildRollups } from '../features/consumption/rollup-service.ts';
import { disableIpAccessList } from '../features/ip-access-list/service.ts';
import { suspendOrganization } from '../features/organizations/deletion-service.ts';
import {
  createOperatorOrganization,
  issueOperatorKey,
  requireOrganizationId,
} from '../features/organizations/service.ts';
import { describeKeyRing, pruneKeyRing, rewrapKeys, rotateKeyRing } from '../features/secrets/key-ring-service.ts';
import { setWeight } from '../features/sessions/dispatch/weight-service.ts';
import { describeStorage } from '../features/storage/use-service.ts';
import { rotateOrganizationKey, type KeyContext } from '../features/secrets/organization-keys.ts';
import { describeRetention } from './retention.ts';
import { systemClock } from '../lib/clock.ts';
import { AppError, codeOf, messageOf } from '../lib/errors.ts';
import { createLog } from '../lib/log.ts';
import { plainLines } from '../lib/one-line.ts';
import { productVersion } from '../lib/version.ts';

const usage = `The operator's command line.

  npm run admin -- doctor                 shows what this machine supports, and what is missing
  npm run admin -- key --email <e-mail>   creates a key with every scope for a user
                   [--org <slug>]         of this organization (default: default)
  npm run admin -- password set           sets a user's password, read from standard input,
                   --email <e-mail>       and ends all of the user's sign-ins; --org selects the user
                   [--org <slug>]         if several have joined with this e-mail
  npm run admin -- ip-list disable        disables the IP access list of an organization that locked
                   --org <slug>           itself out; its entries stay
  npm run admin -- key-ring status        shows the ring's keys, and how many keys each of them wraps
  npm run admin -- key-ring rotate        creates a new current key, and rewraps all others under it
  npm run admin -- key-ring rewrap        repeats the rewrapping after a failure
  npm run admin -- key-ring prune         removes old keys of the ring that wrap nothing
  npm run admin -- key-ring renew         creates a new key of an organization for further secrets
                   --org <slug>
  npm run admin -- organization create    creates an organization, and a key with every scope for its
                   --name <name>          first administrator, who is created if nobody has the e-mail
                   --email <e-mail>
  npm run admin -- organization suspend   rejects all requests with keys of this organization, and holds
                   --org <slug>           its sessions; \`organization resume\` ends that
  npm run admin -- organization weight    gives its sessions this many places and turns for one of an
                   --org <slug>           organization with the weight 1 (default), while they wait for the
                   --weight <1 to 100>    same workers
  npm run admin -- storage [--json]       shows the stored bytes of each organization by kind
  npm run admin -- rollups rebuild        computes the consumption and metrics of all organizations, or of
                   [--org <slug>]         one, from the ledgers again
  npm run admin -- retention [--json]     shows what retention would remove: data beyond the settings
                   [--org <slug>]         \`retention\`, and blobs that nothing refers to
  npm run admin -- retention apply        removes it now, as the server does each night
                   [--json] [--org <slug>]
  npm run admin -- review --reviewbench   reviews one pull request as a container of ReviewBench: reads RB_…,
                                          writes the findings to RB_OUT, and keeps nothing
  npm run admin -- migrate                updates the database to this version

  --data <directory> and DATABASE_URL select the installation, as for npm start.
`;

type Flag = 'email' | 'org' | 'name' | 'weight' | 'json' | 'reviewbench';

interface Given {
  config: Config;
  /** The flags. One that the command needs is there. */
  values: { email?: string; org?: string; name?: string; weight?: string; json?: boolean };
}

interface Command {
  needs?: readonly Flag[];
  /** Optional flags; all commands take `--data`. */
  takes?: readonly Flag[];
  run: (given: Given) => Promise<void>;
}

const log = createLog('warn', 2, process.stderr.isTTY ? 'text' : 'json');
const ctx = (db: Database) => ({ db, clock: systemClock });
const ofRing = (manage: (ring: KeyContext, tell: typeof say) => Promise<void>): Command => ({
  run: ({ config }) => withKeyRing(config, log, (ring) => manage(ring, say)),
});

const commands = new Map<string, Command>(
  Object.entries<Command>({
    doctor: {
      run: async ({ config }) => void (process.exitCode = (await doctor(config, log, readOnce(config, log))) ? 0 : 1),
    },
    key: {
      needs: ['email'],
      takes: ['org'],
      run: ({ config, values: { email = '', org = 'default' } }) =>
        withDatabase(config, log, async (db) => say(await issueOperatorKey(ctx(db), email, org))),
    },
    'password set': { needs: ['email'], takes: ['org'], run: setPassword },
    'ip-list disable': {
      needs: ['org'],
      run: async ({ config, values: { org = '' } }) => {
        await withDatabase(config, log, async (db) =>
          disableIpAccessList(ctx(db), await requireOrganizationId(db.kysely, org)),
        );
        say(`The IP access list of ${org} is disabled.`);
      },
    },
    'key-ring status': ofRing(describeKeyRing),
    'key-ring rotate': ofRing(rotateKeyRing),
    'key-ring rewrap': ofRing(rewrapKeys),
    'key-ring prune': ofRing(pruneKeyRing),
    'key-ring renew': {
      needs: ['org'],
      run: ({ config, values: { org = '' } }) =>
        withKeyRing(config, log, async (ring) => {
          const orgId = await requireOrganizationId(ring.db.kysely, org);
          say(`The key of ${org} has version ${await rotateOrganizationKey(ring, orgId)}.`);
        }),
    },
    'organization create': {
      needs: ['name', 'email'],
      run: ({ config, values: { name = '', email = '' } }) =>
        withDatabase(config, log, async (db) => {
          const made = await createOperatorOrganization(ctx(db), { name, email });
          say(`${made.slug}\n${made.key}`);
        }),
    },
    'organization suspend': { needs: ['org'], run: (given) => suspend(given, true) },
    'organization resume': { needs: ['org'], run: (given) => suspend(given, false) },
    'organization weight': {
      needs: ['org', 'weight'],
      run: ({ config, values: { org = '', weight = '' } }) =>
        withDatabase(config, log, async (db) => {
          const set = await setWeight(ctx(db), await requireOrganizationId(db.kysely, org), weight);
          say(`The organization ${org} has the weight ${set}.`);
        }),
    },
    storage: {
      takes: ['json'],
      run: ({ config, values }) =>
        withDatabase(config, log, async (db) => say(await describeStorage({ db, config }, values.json === true))),
    },
    'rollups rebuild': {
      takes: ['org'],
      run: ({ config, values: { org } }) =>
        withDatabase(config, log, async (db) => {
          const orgId = org === undefined ? undefined : await requireOrganizationId(db.kysely, org);
          const count = await rebuildRollups({ db }, orgId);
          say(`The rollups of ${count === 1 ? '1 organization' : `${count} organizations`} are rebuilt.`);
        }),
    },
    retention: { takes: ['json', 'org'], run: (given) => retain(given, true) },
    'retention apply': { takes: ['json', 'org'], run: (given) => retain(given, false) },
    review: {
      needs: ['reviewbench'],
      run: async () => {
        // Loaded here, because it starts a whole installation.
        const { reviewBench } = await import('./reviewbench/run.ts');
        await reviewBench(process.env, say);
      },
    },
    migrate: {
      run: ({ config }) =>
        withDatabase(config, log, async () => say('The database is up to date.'), { mayCreate: true }),
    },
  }),
);

process.stdout.on('error', (error) => {
  // The reader has what it wanted, such as `head`; the command still ends as it should.
  if (codeOf(error) === 'EPIPE') return;
  process.stderr.write(`Cannot write the output: ${plainLines(messageOf(error))}\n`);
  process.exitCode = 1;
});

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      email: { type: 'string' },
      org: { type: 'string' },
      name: { type: 'string' },
      weight: { type: 'string' },
      json: { type: 'boolean' },
      reviewbench: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean' },
    },
  });
  const { help, version, data, ...flags } = values;
  const called = positionals.join(' ');
  const command = commands.get(called);
  const problem = problemOf(called, command, flags);
  if (version === true) say(productVersion);
  else if (help === true || called === '' || called === 'help') process.stdout.write(usage);
  else if (command === undefined || problem !== '') {
    process.stderr.write(`${plainLines(problem)}\n\n${usage}`);
    process.exitCode = 2;
  } else
    await command.run({ config: readConfig(data === undefined ? [] : ['--data', data], process.env), values: flags });
} catch (error) {
  const isUnknown = codeOf(error).startsWith('ERR_PARSE_ARGS_');
  process.stderr.write(`${plainLines(`${messageOf(error)}${adviceOn(error)}`)}\n${isUnknown ? `\n${usage}` : ''}`);
  process.exitCode = isUnknown || isWrongValue(error) ? 2 : 1;
}

async function setPassword({ config, values: { email = '', org } }: Given): Promise<void> {
  const password = (await firstLine('Type the new password, which is not shown, then Enter:')).replace(/\r$/, '');
  await withDatabase(config, log, async (db) => {
    if (org !== undefined) await requireOrganizationId(db.kysely, org);
    await setOperatorPassword(ctx(db), email, password, org);
  });
  say(`The password of ${email} is set.`);
}

async function suspend({ config, values: { org = '' } }: Given, isSuspended: boolean): Promise<void> {
  await withDatabase(config, log, async (db) => suspendOrganization(ctx(db), org, isSuspended));
  say(`The organization ${org} is ${isSuspended ? 'suspended' : 'active'}.`);
}

async function retain({ config, values: { org, json = false } }: Given, isDryRun: boolean): Promise<void> {
  await withDatabase(config, log, async (db) => {
    const orgId = org === undefined ? '' : await requireOrganizationId(db.kysely, org);
    const blobs = await openBlobs({ ...config, role: 'worker' }, db, log);
    say(await describeRetention({ ...ctx(db), blobs, log, config }, { orgId, isDryRun, json }));
  });
}

/** Returns true for a value of an option or a variable that the command refuses, whatever the installation has. */
function isWrongValue(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof AppError && error.code === 'invalid_request');
}

/** Returns a sentence that follows an error, for the operator; `''` for most errors. */
function adviceOn(error: unknown): string {
  const isUnknown = error instanceof AppError && error.code === 'organization_not_found';
  return isUnknown ? ' `npm run admin -- storage` lists all.' : '';
}

/** Returns why a command cannot run with these flags; `''` if it can. */
function problemOf(called: string, command: Command | undefined, flags: Readonly<Given['values']>): string {
  const given = Object.keys(flags);
  const [first = ''] = called.split(' ');
  if (command === undefined)
    return usage.includes(`admin -- ${first} `)
      ? `Something is missing, or not known, after ${first}:`
      : `Unknown command ${JSON.stringify(first)}.`;
  const { needs = [], takes = [] } = command;
  const missing = needs.filter((name) => !given.includes(name));
  if (missing.length > 0) return `The command ${called} needs ${missing.map((name) => `--${name}`).join(' and ')}.`;
  const extra = given.filter((name) => ![...needs, ...takes].some((known) => known === name));
  if (extra.length > 0) return `The command ${called} does not take ${extra.map((name) => `--${name}`).join(' and ')}.`;
  // Left by a variable of the shell that is not set.
  const empty = Object.entries(flags).find(([, value]) => String(value).trim() === '')?.[0];
  return empty === undefined ? '' : `--${empty} is empty; it must have a value.`;
}

function say(line: string): void {
  process.stdout.write(`${plainLines(line)}\n`);
}

/** Reads a line of standard input. On a terminal, asks for it and does not show what is typed. */
async function firstLine(prompt: string): Promise<string> {
  const input = process.stdin;
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface(input.isTTY ? { input, output: hidden, terminal: true } : { input, terminal: false });
  lines.once('SIGINT', () => process.exit(130));
  // The terminal shows nothing from here on.
  if (input.isTTY) say(prompt);
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
