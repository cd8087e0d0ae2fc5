-- While nobody has a password, the administrator's key signs in.
alter table sign_ins drop constraint sign_ins_method_check;
alter table sign_ins add constraint sign_ins_method_check check (method in ('password', 'sso', 'key'));
