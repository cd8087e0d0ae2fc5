import type { PoolClient } from 'pg';

/** The oldest PostgreSQL that the program is made for, as in `server_version_num`. */
const oldestServer = 150_000;

/** Settings whose other values change what statements mean or return, and the value to set. */
const neededSettings = [
  { name: 'DateStyle', column: 'date_style', value: 'ISO', fits: /^ISO/ },
  { name: 'standard_conforming_strings', column: 'strings', value: 'on', fits: /^on$/ },
  { name: 'default_transaction_isolation', column: 'isolation', value: 'read committed', fits: /^read committed$/ },
] as const;

interface Server {
  number: number;
  version: string;
  encoding: string;
  lower: string;
  standby: boolean;
  read_only: string;
  date_style: string;
  strings: string;
  isolation: string;
  database: string;
  role: string;
}

/** @throws when the program cannot work with the server or the database; the message tells the operator what to change */
export async function checkServer(client: Pick<PoolClient, 'query'>): Promise<void> {
  const { rows } = await client.query<Server>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
       current_setting('server_encoding') as encoding, lower('I') as lower, pg_is_in_recovery() as standby,
       current_setting('default_transaction_read_only') as read_only, current_setting('DateStyle') as date_style,
       current_setting('standard_conforming_strings') as strings,
       current_setting('default_transaction_isolation') as isolation,
       quote_ident(current_database()) as database, quote_ident(session_user) as role`,
  );
  const problem = problemOf(rows[0]);
  if (problem !== '') throw new Error(problem);
}

function problemOf(server: Server | undefined): string {
  if (server === undefined || server.number < oldestServer)
    return `Guildhall needs PostgreSQL 15 or newer; this server is ${server?.version ?? 'unknown'}.`;
  const { database, role, encoding } = server;
  if (encoding !== 'UTF8')
    return (
      `The database ${database} has the encoding ${encoding}, and Guildhall needs UTF8. ` +
      `Create another one: create database <name> owner ${role} encoding 'UTF8' template template0`
    );
  if (server.lower !== 'i')
    return (
      `The database ${database} has a locale in which the lower case of I is not i, such as Turkish: searches would miss words. ` +
      `Create another one: create database <name> owner ${role} locale 'C.UTF-8' template template0`
    );
  if (server.standby)
    return 'This PostgreSQL is a standby, which is read-only. Set DATABASE_URL to the primary server.';
  const alter = `alter role ${role} in database ${database} set`;
  if (server.read_only === 'on')
    return `The database ${database} is read-only. Run: ${alter} default_transaction_read_only = off`;
  const wrong = neededSettings.find(({ column, fits }) => !fits.test(server[column]));
  if (wrong === undefined) return '';
  const { name, column, value } = wrong;
  return (
    `The database ${database} has the setting ${name} = '${server[column]}', and Guildhall needs '${value}'. ` +
    `Run: ${alter} ${name} = '${value}'`
  );
}
