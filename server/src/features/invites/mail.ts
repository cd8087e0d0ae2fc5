import type { Mail } from '../../adapters/mail/port.ts';

export interface InviteMail {
  /** The invitation's id. */
  id: string;
  to: string;
  organization: string;
  permission: 'admin' | 'member' | 'viewer';
  acceptUrl: string;
  expiresAt: Date;
}

const means = {
  admin: 'as an administrator',
  member: 'as a member',
  viewer: 'as a viewer',
};

/** Builds the invitation mail, with the same content as text and HTML. */
export function inviteMail({ id, to, organization, permission, acceptUrl, expiresAt }: InviteMail): Mail {
  const name = oneLine(organization);
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(expiresAt);
  const subject = `Join ${name} on Guildhall`;
  const invitation = `You are invited to join ${name} on Guildhall ${means[permission]}.`;
  const about = 'Guildhall runs software-engineering agents: you give them tasks, and review their changes.';
  const end = `The link works once, until ${day}. If you did not expect this mail, you can ignore it.`;
  return {
    id,
    to,
    subject,
    text: `${invitation}\n\nAccept the invitation:\n${acceptUrl}\n\n${about}\n\n${end}\n`,
    html: page({ subject, invitation, about, end, acceptUrl }),
  };
}

function page(words: { subject: string; invitation: string; about: string; end: string; acceptUrl: string }): string {
  const { subject, invitation, about, end, acceptUrl } = words;
  const url = escapeHtml(acceptUrl);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:32px 16px;background:#f4f4f1;color:#1d1d1b;font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif">
<div style="max-width:520px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #dcdcd6;border-radius:12px">
<p style="margin:0 0 24px;font-weight:600;letter-spacing:.02em">Guildhall</p>
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${escapeHtml(subject)}</h1>
<p style="margin:0 0 24px">${escapeHtml(invitation)}</p>
<p style="margin:0 0 24px"><a href="${url}" style="display:inline-block;padding:12px 20px;background:#1f4d3a;color:#ffffff;border-radius:8px;text-decoration:none;font-weight:600">Accept the invitation</a></p>
<p style="margin:0 0 24px;font-size:14px;color:#5b5b55">Or open this address:<br><a href="${url}" style="color:#1f4d3a;word-break:break-all">${url}</a></p>
<p style="margin:0 0 16px;font-size:14px;color:#5b5b55">${escapeHtml(about)}</p>
<p style="margin:0;font-size:14px;color:#5b5b55">${escapeHtml(end)}</p>
</div>
</body>
</html>
`;
}

/** Replaces line breaks, because others choose this name. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
