import { defineFeature } from '../define.ts';
import { removeLostAttachments, removeOldAttachments } from './retention-service.ts';

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
  retention: [
    { kind: 'attachments', schedule: '7 3 * * *', remove: removeOldAttachments },
    { kind: 'attachment-blobs', schedule: '17 3 * * *', remove: removeLostAttachments },
  ],
});

export const attachmentDownloads = defineFeature({
  ...group,
  mount: 'v3',
  routes: async (ctx) => (await import('./routes.ts')).downloadRoutes(ctx),
});
