import { useEffect, useState } from 'react';
import { recall, remember } from '../../../lib/storage.ts';
import { mostFiles, readFiles, type AttachedFile } from '../attachments/files.ts';

export interface ReplyDraft {
  text: string;
  files: readonly AttachedFile[];
}

/** What a person has entered for a session's next message; it survives a reload until it is sent. */
export function useReplyDraft(session: string) {
  const [draft, change] = useState(() => stored(session));
  useEffect(() => keep(session, draft), [session, draft]);
  return {
    draft,
    write: (text: string) => change((now) => ({ ...now, text })),
    add: (file: AttachedFile) => change((now) => ({ ...now, files: [...now.files, file].slice(0, mostFiles) })),
    remove: (id: string) => change((now) => ({ ...now, files: now.files.filter((file) => file.id !== id) })),
    clear: () => change({ text: '', files: [] }),
    /** Puts a message that was not sent before what is there. */
    takeBack: ({ text, files }: ReplyDraft) =>
      change((now) => ({
        text: now.text.trim() === '' ? text : `${text}\n\n${now.text}`,
        files: [...files, ...now.files].slice(0, mostFiles),
      })),
  };
}

export type Reply = ReturnType<typeof useReplyDraft>;

function stored(session: string): ReplyDraft {
  return { text: recall(`reply/${session}`) ?? '', files: readFiles(parsed(recall(`reply-files/${session}`))) };
}

function keep(session: string, { text, files }: ReplyDraft): void {
  remember(`reply/${session}`, text === '' ? undefined : text);
  remember(`reply-files/${session}`, files.length === 0 ? undefined : JSON.stringify(files));
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
}
