import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** `<server's URL>` with another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  // Not URL's setter: it refuses the opaque host that a unix socket is.
  return serverUrl.replace(/^([a-z]+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${database}`);
}

export function newDatabaseName(kind: 'template' | 'test'): string {
  return `guildhall_${kind}_${randomBytes(6).toString('hex')}`;
}

/** Runs one statement on a connection of its own: databases cannot be made or dropped on one that uses them. */
export async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
