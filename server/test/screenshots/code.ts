import type { GitUser } from '../support/git.ts';
import { withKey } from '../support/git.ts';
import { each, type Shop } from './world.ts';

/** A branch with a change, on the built-in git host. */
export interface Branch {
  repositoryId: string;
  baseSha: string;
  headSha: string;
  /** The change as `git diff` writes it. */
  patch: string;
}

const invoiceBefore = `import { addDays } from './dates.ts';
import type { Customer, Line } from './types.ts';

/** An invoice before it is sent. */
export interface Draft {
  customer: Customer;
  lines: readonly Line[];
}

export function total(lines: readonly Line[]): number {
  return lines.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
}

export function toInvoice({ customer, lines }: Draft, today: Date) {
  return {
    number: nextNumber(customer),
    customer: customer.id,
    issued: today,
    lines,
    total: total(lines),
  };
}
`;

const invoiceAfter = invoiceBefore
  .replace(
    'export function total',
    `/** Days until an invoice is due, unless the customer has terms of their own. */
const defaultTerms = 30;

export function total`,
  )
  .replace('    issued: today,\n', '    issued: today,\n    due: addDays(today, customer.terms ?? defaultTerms),\n');

const testBefore = `import { expect, test } from 'vitest';
import { toInvoice } from './invoices.ts';

const customer = { id: 'cus_1', name: 'Analytical Engines' };
const lines = [{ quantity: 2, price: 450 }];

test('an invoice has the total of its lines', () => {
  expect(toInvoice({ customer, lines }, new Date('2026-11-01')).total).toBe(900);
});
`;

const testAfter = `${testBefore}
test('an invoice is due after the terms of its customer', () => {
  const { due } = toInvoice({ customer: { ...customer, terms: 14 }, lines }, new Date('2026-11-17'));
  expect(due).toEqual(new Date('2026-12-01'));
});
`;

const migration = `alter table invoices add column due date;
update invoices set due = issued + interval '30 days';
alter table invoices alter column due set not null;
`;

const guide = {
  'README.md': '# Billing\n\nInvoices, the ledger and payments.\n',
  'package.json': '{ "type": "module" }\n',
};

/** Repositories with their environments, and in one of them a branch that gives invoices a due date. */
export async function found(shop: Shop, git: GitUser): Promise<{ dueDate: Branch; greeting: Branch }> {
  const billing = await repository(shop, git, 'acme/billing', {
    before: { ...guide, 'src/invoices.ts': invoiceBefore, 'src/invoices.test.ts': testBefore },
    after: {
      'src/invoices.ts': invoiceAfter,
      'src/invoices.test.ts': testAfter,
      'db/migrations/0042-due.sql': migration,
    },
    branch: 'guildhall/due-date',
    environment: { setup_command: 'npm ci', verify_command: 'npm test' },
  });
  const greeting = await repository(shop, git, 'acme/storefront', {
    before: { 'src/greet.ts': 'export const greet = (name: string) => `Hello, ${nmae}`;\n' },
    after: { 'src/greet.ts': 'export const greet = (name: string) => `Hello, ${name}`;\n' },
    branch: 'guildhall/greet',
    environment: { setup_command: 'npm ci', verify_command: 'npm test -- --run' },
  });
  await each(
    ['acme/ledger', 'acme/mobile-app', 'acme/infrastructure', 'acme/customer-data-warehouse-transformations'],
    (repo) => shop.ask('POST', '/repositories', { provider: 'local', repo }),
  );
  shop.values['repositories/{id}'] = billing.repositoryId;
  return { dueDate: billing, greeting };
}

interface Content {
  before: Record<string, string>;
  after: Record<string, string>;
  branch: string;
  environment: object;
}

async function repository(shop: Shop, git: GitUser, repo: string, content: Content): Promise<Branch> {
  const { before, after, branch, environment } = content;
  const made = await shop.ask('POST', '/repositories', { provider: 'local', repo, environment });
  const url = withKey(String(made['clone_url']), shop.api.adminKey);
  const work = await git.start(before);
  await git.git(work, 'push', '-q', url, 'main', 'main:refs/heads/release/2026.11', 'main:refs/heads/next');
  const baseSha = await git.git(work, 'rev-parse', 'main');
  await git.git(work, 'checkout', '-q', '-b', branch, 'main');
  const headSha = await git.commit(work, after, 'Work of a session');
  await git.git(work, 'push', '-q', url, branch);
  const patch = await git.git(work, 'diff', '--no-color', 'main', branch);
  return { repositoryId: String(made['id']), baseSha, headSha, patch };
}
