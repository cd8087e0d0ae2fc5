import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** Returns the server's URL with another database. */
export function databaseUrl(serverUrl: string, database: string): string {
  // Not URL's setter, which rejects the opaque host of a unix socket.
  return serverUrl.replace(/^([a-z]+:\/\/[^/?]*)(\/[^?]*)?/, `$1/${database}`);
}

export function newDatabaseName(kind: 'template' | 'test'): string {
  return `guildhall_${kind}_${randomBytes(6).toString('hex')}`;
}

/** Runs one statement on a separate connection: a database cannot be created or dropped on one that uses it. */
export async function runOn(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
