# Mounts a directory at another place, read-only, with one user and group shown as another (mount_setattr(2), Linux 5.12):
# a base layer belongs to the sandbox that made it, and later ones have users of their own. mount(8) can do it from
# util-linux 2.39 on; Node cannot make system calls; Perl is there wherever git is.
use strict;
use warnings;

my ($source, $target, $from, $to, $unshare) = @ARGV;
# The same on every architecture.
my ($open_tree, $move_mount, $mount_setattr) = (428, 429, 442);
my ($at_fdcwd, $clone_tree, $empty_path, $from_empty_path) = (-100, 1, 0x1000, 4);
my ($read_only, $id_map, $new_user) = (0x1, 0x100000, 0x10000000);

# A map is given as a user namespace, and one exists while a process is in it.
pipe(my $ready, my $is_ready) and pipe(my $hold, my $release) or die "pipe: $!\n";
my $child = fork() // die "fork: $!\n";
if ($child == 0) {
  close $release;
  syscall($unshare, $new_user) == 0 or die "unshare: $!\n";
  syswrite($is_ready, '.');
  sysread($hold, my $end, 1);
  exit 0;
}
close $is_ready;
close $hold;
sysread($ready, my $sign, 1) or die "no user namespace\n";
for my $map ('uid_map', 'gid_map') {
  open(my $file, '>', "/proc/$child/$map") or die "$map: $!\n";
  syswrite($file, "$from $to 1") or die "$map: $!\n";
  close $file;
}
open(my $namespace, '<', "/proc/$child/ns/user") or die "user namespace: $!\n";
my $empty = '';
my $tree = syscall($open_tree, $at_fdcwd, $source, $clone_tree);
die "open_tree: $!\n" if $tree < 0;
my $attributes = pack('QQQQ', $id_map | $read_only, 0, 0, fileno($namespace));
syscall($mount_setattr, $tree, $empty, $empty_path, $attributes, 32) == 0 or die "mount_setattr: $!\n";
syscall($move_mount, $tree, $empty, $at_fdcwd, $target, $from_empty_path) == 0 or die "move_mount: $!\n";
close $release;
waitpid($child, 0);
