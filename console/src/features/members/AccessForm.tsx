import { useQuery } from '@tanstack/react-query';
import { Form, SelectField } from '../../forms/Form.tsx';
import { useApiForm } from '../../forms/useApiForm.ts';
import type { MatchHeader } from '../../forms/useBase.ts';
import { apiOf, unwrap, type Tagged } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { queryClient } from '../../lib/query.ts';
import { useConfirm } from '../../ui/Confirm.tsx';
import { selfQuery } from '../shell/organizations.ts';
import { memberQuery, roleQuery, type Member } from './queries.ts';
import { permissionOptions, roleOptions } from './words.ts';

type Values = Pick<Member, 'permission' | 'role'>;

interface AccessFormProps {
  org: string;
  member: Tagged<Member>;
  isLastAdmin: boolean;
}

/** Sets what a member may do. The last administrator stays one, and the form says so. */
export function AccessForm({ org, member, isLastAdmin }: AccessFormProps) {
  const { data: self } = useQuery(selfQuery(org));
  const { data: assigned } = useQuery(roleQuery(org, member.user_id));
  const confirm = useConfirm();
  const userId = member.user_id;
  const form = useApiForm({
    values: { permission: member.permission, role: member.role },
    etag: member.etag,
    call: async ({ permission, role }: Values, header) => {
      // The role first: whoever gives up their own permission may not set it afterwards.
      if (role !== member.role) {
        const params = { header: assigned === undefined ? {} : { 'if-match': assigned.etag } };
        await unwrap(apiOf(org).PUT('/v3/organizations/{orgId}/roles', { params, body: { user_id: userId, role } }));
      }
      if (permission !== member.permission) {
        const own = role === member.role ? header : await headerAfterRole(org, member, header);
        const params = { path: { userId }, header: own };
        await unwrap(apiOf(org).PATCH('/v3/organizations/{orgId}/members/{userId}', { params, body: { permission } }));
      }
    },
    touches: [keys.one(org, 'members', userId), keys.lists(org, 'members'), keys.self(org)],
    says: 'Saved. It holds from their next request on.',
  });
  const submit = async (event?: { preventDefault: () => void }) => {
    event?.preventDefault();
    const isOwn = self?.principal_id === userId && member.permission === 'admin';
    const isGivenUp = isOwn && form.form.getValues('permission') !== 'admin';
    const text = 'You can no longer administer the organization afterwards, and not undo this yourself.';
    if (!isGivenUp || (await confirm({ title: 'Give up your own permission?', text, action: 'Give it up' })))
      form.submit();
  };
  const kept = permissionOptions.filter(([id]) => id === 'admin');
  return (
    <Form of={{ ...form, submit: (event) => void submit(event) }} action="Save">
      <SelectField
        name="permission"
        label="Permission"
        options={isLastAdmin ? kept : permissionOptions}
        {...(isLastAdmin
          ? { hint: 'This is the last administrator. Make someone else an administrator before you change this.' }
          : {})}
      />
      <SelectField
        name="role"
        label="Role"
        options={roleOptions}
        hint="Decides which models and limits apply, by the settings of the organization."
      />
    </Form>
  );
}

/** Names the state after the own change of the role, unless someone else changed the permission meanwhile. */
async function headerAfterRole(org: string, before: Tagged<Member>, header: MatchHeader): Promise<MatchHeader> {
  const after = await queryClient.fetchQuery({ ...memberQuery(org, before.user_id), staleTime: 0 });
  return after.permission === before.permission ? { 'if-match': after.etag } : header;
}
