import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readConfig, type Config } from '../config/config.ts';
import { hasCluster } from '../db/embedded/layout.ts';
import { runningUrl } from '../db/embedded/running.ts';
import { startEmbedded } from '../db/embedded/start.ts';
import { migrate } from '../db/migrate.ts';
import { openDatabase, type Database } from '../db/pool.ts';
import { setOperatorPassword } from '../features/auth/password-service.ts';
import { openBlobs } from './context.ts';
import { doctor, type DatabaseState } from './doctor.ts';
import { failingTasks } from '../jobs/maintenance-store.ts';
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
import { openKeyRing } from './key-ring.ts';
import { describeRetention } from './retention.ts';
import { systemClock } from '../lib/clock.ts';
import { AppError, messageOf } from '../lib/errors.ts';
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

const ringCommands = new Map(
  Object.entries({ status: describeKeyRing, rotate: rotateKeyRing, rewrap: rewrapKeys, prune: pruneKeyRing }),
);
/** The flags that each command needs. */
const needs = new Map(
  Object.entries({
    key: ['email'],
    'password set': ['email'],
    'ip-list disable': ['org'],
    'key-ring renew': ['org'],
    'organization create': ['name', 'email'],
    'organization suspend': ['org'],
    'organization resume': ['org'],
    'organization weight': ['org', 'weight'],
  }),
);
const log = createLog('warn', 2, process.stderr.isTTY ? 'text' : 'json');

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
  const config = readConfig(values.data === undefined ? [] : ['--data', values.data], process.env);
  const [command, verb] = positionals;
  const ctx = (db: Database) => ({ db, clock: systemClock });
  if (values.help === true) process.stdout.write(usage);
  else if (values.version === true) say(productVersion);
  else if (command === 'doctor') process.exitCode = (await doctor(config, log, readOnce(config))) ? 0 : 1;
  else if (command === 'review' && values.reviewbench === true) {
    // Loaded here, because it starts a whole installation.
    const { reviewBench } = await import('./reviewbench/run.ts');
    await reviewBench(process.env, say);
  } else if (command === 'migrate')
    await withDatabase(config, async () => say('The database is up to date.'), { mayCreate: true });
  else if (command === 'storage')
    await withDatabase(config, async (db) => say(await describeStorage({ db, config }, values.json === true)));
  else if (command === 'retention' && (verb === undefined || verb === 'apply'))
    await withDatabase(config, async (db) => {
      const orgId = values.org === undefined ? '' : await requireOrganizationId(db.kysely, values.org);
      const blobs = await openBlobs({ ...config, role: 'worker' }, db, log);
      const options = { orgId, isDryRun: verb === undefined, json: values.json === true };
      say(await describeRetention({ db, clock: systemClock, blobs, log, config }, options));
    });
  else if (command === 'rollups' && verb === 'rebuild')
    await withDatabase(config, async (db) => {
      const orgId = values.org === undefined ? undefined : await requireOrganizationId(db.kysely, values.org);
      const count = await rebuildRollups({ db }, orgId);
      say(`The rollups of ${count === 1 ? '1 organization' : `${count} organizations`} are rebuilt.`);
    });
  else if (command === 'key' && values.email !== undefined) {
    const { email, org = 'default' } = values;
    await withDatabase(config, async (db) => say(await issueOperatorKey(ctx(db), email, org)));
  } else if (command === 'password' && verb === 'set' && values.email !== undefined) {
    const { email, org } = values;
    if (process.stdin.isTTY) say('Type the new password, then Enter:');
    const password = (await firstLine()).replace(/\r$/, '');
    await withDatabase(config, async (db) => {
      if (org !== undefined) await requireOrganizationId(db.kysely, org);
      await setOperatorPassword(ctx(db), email, password, org);
    });
    say(`The password of ${email} is set.`);
  } else if (command === 'ip-list' && verb === 'disable' && values.org !== undefined) {
    const { org } = values;
    await withDatabase(config, async (db) => disableIpAccessList(ctx(db), await requireOrganizationId(db.kysely, org)));
    say(`The IP access list of ${org} is disabled.`);
  } else if (command === 'key-ring' && verb === 'renew' && values.org !== undefined) {
    const { org } = values;
    await withKeyRing(config, async (ring) => {
      const orgId = await requireOrganizationId(ring.db.kysely, org);
      say(`The key of ${org} has version ${await rotateOrganizationKey(ring, orgId)}.`);
    });
  } else if (command === 'key-ring' && ringCommands.has(verb ?? '')) {
    await withKeyRing(config, async (ring) => ringCommands.get(verb ?? '')?.(ring, say));
  } else if (
    command === 'organization' &&
    verb === 'create' &&
    values.name !== undefined &&
    values.email !== undefined
  ) {
    const { name, email } = values;
    await withDatabase(config, async (db) => {
      const made = await createOperatorOrganization(ctx(db), { name, email });
      say(`${made.slug}\n${made.key}`);
    });
  } else if (command === 'organization' && (verb === 'suspend' || verb === 'resume') && values.org !== undefined) {
    const { org } = values;
    await withDatabase(config, async (db) => suspendOrganization(ctx(db), org, verb === 'suspend'));
    say(`The organization ${org} is ${verb === 'suspend' ? 'suspended' : 'active'}.`);
  } else if (
    command === 'organization' &&
    verb === 'weight' &&
    values.org !== undefined &&
    values.weight !== undefined
  ) {
    const { org, weight: given } = values;
    await withDatabase(config, async (db) => {
      const weight = await setWeight(ctx(db), await requireOrganizationId(db.kysely, org), given);
      say(`The organization ${org} has the weight ${weight}.`);
    });
  } else {
    const isAsked = command === undefined || command === 'help';
    if (!isAsked) process.stderr.write(`${plainLines(problemOf(command, verb, new Set(Object.keys(values))))}\n\n`);
    process[isAsked ? 'stdout' : 'stderr'].write(usage);
    process.exitCode = isAsked ? 0 : 2;
  }
} catch (error) {
  process.stderr.write(`${plainLines(`${messageOf(error)}${adviceOn(error)}`)}\n`);
  process.exitCode = 1;
}

/** Returns a sentence that follows an error, for the operator; `''` for most errors. */
function adviceOn(error: unknown): string {
  const isUnknown = error instanceof AppError && error.code === 'organization_not_found';
  return isUnknown ? ' `npm run admin -- storage` lists all.' : '';
}

function problemOf(command: string, verb: string | undefined, given: ReadonlySet<string>): string {
  const called = verb === undefined ? command : `${command} ${verb}`;
  const missing = (needs.get(called) ?? []).filter((name) => !given.has(name));
  if (missing.length > 0) return `The command ${called} needs ${missing.map((name) => `--${name}`).join(' and ')}.`;
  return usage.includes(`admin -- ${command} `)
    ? `Something is missing, or not known, after ${command}:`
    : `Unknown command ${JSON.stringify(command)}.`;
}

function say(line: string): void {
  process.stdout.write(`${plainLines(line)}\n`);
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin, terminal: false })) return line;
  return '';
}

/**
 * Opens the installation's database: an external one, the embedded one of a running server, or one started temporarily.
 * Only with `mayCreate`, creates an embedded one where none is.
 */
async function withDatabase(
  config: Config,
  use: (db: Database) => Promise<void>,
  { mayCreate = false } = {},
): Promise<void> {
  const running = config.databaseUrl === '' ? await runningUrl(config.data) : config.databaseUrl;
  if (running === undefined && !mayCreate && !hasCluster(config.data))
    throw new Error(
      `No installation is in ${config.data}. Name the data directory of one with --data or GUILDHALL_DATA, or create one there with npm start.`,
    );
  const embedded = running === undefined ? await startEmbedded({ dataDir: config.data, log }) : undefined;
  const connectionString = running ?? embedded?.connectionString ?? '';
  const db = openDatabase({ connectionString, maxConnections: 2, applicationName: 'guildhall admin' });
  try {
    await migrate(db, { log });
    await use(db);
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

async function withKeyRing(config: Config, use: (ctx: KeyContext) => Promise<void>): Promise<void> {
  await withDatabase(config, async (db) => {
    const keyRing = await openKeyRing(config, { db, clock: systemClock, log });
    try {
      await use({ db, keyRing });
    } finally {
      keyRing.close();
    }
  });
}

/** Returns a function that reads the database at its first call, which may start the database. */
function readOnce(config: Config): () => Promise<DatabaseState> {
  let state: Promise<DatabaseState> | undefined;
  return () => (state ??= readDatabase(config));
}

async function readDatabase(config: Config): Promise<DatabaseState> {
  let state: DatabaseState = { version: '', failing: [] };
  await withDatabase(config, async (db) => {
    const { rows } = await db.pool.query<{ version: string }>('select version()');
    state = { version: rows[0]?.version.split(',', 1)[0] ?? '', failing: await failingTasks(db) };
  });
  return state;
}
