import type { Examples } from '../../http/examples.ts';
import type { AcceptSuggestion, SearchKnowledge, UpdateKnowledgeNote, WriteKnowledgeNote } from './schemas.ts';

export const writeKnowledgeNote: Examples<typeof WriteKnowledgeNote> = {
  'For one repository': {
    name: 'Database migrations',
    trigger: 'Adding or changing a column of the database',
    body: 'Write a new file in `db/migrations`; never edit an old one. Then run `npm run db-types`.',
    scope: 'repository',
    repo_filter: 'acme/shop',
  },
};

export const updateKnowledgeNote: Examples<typeof UpdateKnowledgeNote> = {
  'For all repositories of an owner': { repo_filter: 'acme/*' },
  'Disable a note': { enabled: false },
};

export const acceptSuggestion: Examples<typeof AcceptSuggestion> = {
  'For one repository, with a better name': {
    name: 'How to run one test',
    scope: 'repository',
    repo_filter: 'acme/shop',
  },
};

export const searchKnowledgeForPrompt: Examples<typeof SearchKnowledge> = {
  'For a session on one repository': {
    prompt: 'Add a column for the due date to the table of invoices.',
    repo: 'acme/shop',
    provider: 'github',
  },
};

export const importKnowledge = {
  'One note': {
    file: [
      '---\nname: Release notes\ntrigger: Writing the notes of a release\nscope: repository\nrepo_filter: acme/shop\n---\n' +
        'Write one line for each change that a user notices.\n',
    ],
  },
};
