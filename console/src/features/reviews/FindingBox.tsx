import { useState } from 'react';
import { Chip } from '../../ui/Chip.tsx';
import { Markdown } from '../sessions/timeline/Markdown.tsx';
import { DismissForm } from './DismissForm.tsx';
import { FindingActions } from './FindingActions.tsx';
import type { Finding } from './queries.ts';
import { percent, severityWords, toneOf } from './words.ts';

/** Findings whose form is open: a diff that is drawn again draws its findings anew. */
const dismissing = new Set<string>();

/** A finding: how bad and how sure, what is wrong, what shows it, and what to do. One that is not open is folded. */
export function FindingBox({ org, finding }: { org: string; finding: Finding }) {
  const { severity, confidence, category, title, body, suggestion, evidence, status, reason } = finding;
  const { reproduced: isReproduced, command } = finding;
  const [isDismissing, setDismissing] = useState(() => dismissing.has(finding.id));
  const dismiss = (isOpen: boolean) => {
    if (isOpen) dismissing.add(finding.id);
    else dismissing.delete(finding.id);
    setDismissing(isOpen);
  };
  return (
    <details
      key={status}
      open={status === 'open'}
      className="my-1 max-w-[80ch] rounded-control border border-line-strong bg-surface font-sans text-base whitespace-normal"
    >
      <summary className="flex min-h-8 cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1 pointer-coarse:min-h-11">
        <Chip tone={toneOf(finding)}>{severityWords[severity].toLowerCase()}</Chip>
        <span className="min-w-0 flex-1 basis-48 font-medium break-words">{title}</span>
        {isReproduced && (
          <span title="The platform ran its command: it fails on the head for this reason, and not on the base.">
            <Chip tone="ok">reproduced</Chip>
          </span>
        )}
        {status !== 'open' && <Chip>{status}</Chip>}
        <span className="mono text-meta whitespace-nowrap text-ink-3" title="How sure the reviewer is">
          {percent(confidence)} sure
        </span>
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-3 py-2">
        {reason !== '' && <p className="break-words text-ink-2">{reason}</p>}
        {body !== '' && <Markdown text={body} />}
        {command !== '' && !evidence.includes(command) && <Written title="A command that shows it" text={command} />}
        {evidence !== '' && (
          <Written title={isReproduced ? 'What the platform saw' : 'What shows it'} text={evidence} />
        )}
        {suggestion !== '' && <Written title="What should stand there" text={suggestion} />}
        {category !== '' && <p className="mono text-meta break-words text-ink-3">{category}</p>}
        {isDismissing ? (
          <DismissForm org={org} finding={finding} close={() => dismiss(false)} />
        ) : (
          <FindingActions org={org} finding={finding} dismiss={() => dismiss(true)} />
        )}
      </div>
    </details>
  );
}

function Written({ title, text }: { title: string; text: string }) {
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="text-meta text-ink-3">{title}</figcaption>
      <pre tabIndex={0} className="max-h-60 overflow-auto rounded-control bg-sunken px-3 py-2 whitespace-pre-wrap">
        {text}
      </pre>
    </figure>
  );
}
