import { defineFeature } from '../define.ts';
import { sweepAttachments } from './service.ts';

const names = {
  errors: ['attachment'],
  ids: ['att'],
  audit: ['attachment.create', 'attachment.delete'],
} as const;

declare module '../../lib/names.ts' {
  interface FeatureNames {
    attachments: typeof names;
  }
}

const group = { tag: 'Attachments', description: 'Files for sessions, given to the organization.' };

export const attachments = defineFeature({
  ...names,
  ...group,
  mount: 'organization',
  multipart: true,
  routes: async (ctx) => (await import('./routes.ts')).attachmentRoutes(ctx),
  maintenance: [{ name: 'sweep-attachments', schedule: '17 3 * * *', timeoutMs: 21_600_000, run: sweepAttachments }],
});

export const attachmentDownloads = defineFeature({
  ...group,
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).downloadRoutes(ctx),
});
