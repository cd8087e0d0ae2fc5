# System calls, and constants of Linux that are the same on x86-64 and arm64. The modules POSIX, Socket, Fcntl and Errno have
# them too, but take longer to load than all of the supervisor.
package System;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Config;

sub AF_UNIX() { 1 }
sub AF_INET() { 2 }
sub AF_INET6() { 10 }
sub SOCK_STREAM() { 1 }
sub SOL_SOCKET() { 1 }
sub SO_REUSEADDR() { 2 }
sub SO_ERROR() { 4 }
sub IPPROTO_TCP() { 6 }
sub TCP_NODELAY() { 1 }
sub O_RDONLY() { 0 }
sub O_WRONLY() { 1 }
sub O_CREAT() { 0100 }
sub O_TRUNC() { 01000 }
sub O_NONBLOCK() { 04000 }
sub F_SETFD() { 2 }
sub F_GETFL() { 3 }
sub F_SETFL() { 4 }
sub FD_CLOEXEC() { 1 }
sub WNOHANG() { 1 }
sub EINTR() { 4 }
sub EAGAIN() { 11 }
sub EEXIST() { 17 }
sub ECONNABORTED() { 103 }
sub EINPROGRESS() { 115 }

my @errors = (
  '', qw(EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK EBUSY EEXIST
    EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS EMLINK EPIPE EDOM ERANGE
    EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP)
);
my %later_errors = (
  75 => 'EOVERFLOW', 88 => 'ENOTSOCK', 95 => 'EOPNOTSUPP', 97 => 'EAFNOSUPPORT', 98 => 'EADDRINUSE',
  99 => 'EADDRNOTAVAIL', 101 => 'ENETUNREACH', 103 => 'ECONNABORTED', 104 => 'ECONNRESET', 105 => 'ENOBUFS',
  106 => 'EISCONN', 107 => 'ENOTCONN', 110 => 'ETIMEDOUT', 111 => 'ECONNREFUSED', 113 => 'EHOSTUNREACH',
  114 => 'EALREADY', 115 => 'EINPROGRESS', 116 => 'ESTALE', 121 => 'EREMOTEIO', 122 => 'EDQUOT',
);

# Undefined for a number that is not expected here.
sub error_name($number) { return $errors[$number] || $later_errors{$number} }

our $is_arm = $Config{archname} =~ /^aarch64/;
my %number = $is_arm
  ? (
    clock_gettime => 113, dup3 => 24, epoll_create1 => 20, epoll_ctl => 21, epoll_pwait => 22, exit_group => 94,
    pidfd_open => 434, setsid => 157,
  )
  : (
    clock_gettime => 228, dup3 => 292, epoll_create1 => 291, epoll_ctl => 233, epoll_pwait => 281, exit_group => 231,
    pidfd_open => 434, setsid => 112,
  );

# The number of a system call, for `syscall`, which needs its arguments in place.
sub number_of($name) { return $number{$name} }

# Seconds on a clock that nobody sets. Time::HiRes is not in perl-base.
sub now() {
  my $time = pack('q q', 0, 0);
  syscall($number{clock_gettime}, 1, $time);
  my ($seconds, $nanoseconds) = unpack('q q', $time);
  return $seconds + $nanoseconds / 1e9;
}

# Ends the process without what Perl does at its end.
sub end_now($code) { syscall($number{exit_group}, $code) }

sub new_session() { syscall($number{setsid}) }

# Makes a descriptor another name of a handle; false, with $!, if it fails.
sub duplicate($handle, $fd) {
  return 1 if fileno($handle) == $fd;
  return syscall($number{dup3}, fileno($handle), $fd, 0) >= 0;
}

# A descriptor that is readable once a process has ended; negative where the kernel has none.
sub process_descriptor($pid) { return syscall($number{pidfd_open}, $pid, 0) }

# The address of a port of the loopback interface.
sub loopback($port) { return pack('S n C4 x8', AF_INET, $port, 127, 0, 0, 1) }

sub loopback6($port) { return pack('S n N x15 C N', AF_INET6, $port, 0, 1, 0) }

sub socket_file($path) {
  die "$path: the path of a socket has at most 107 bytes\n" if length $path > 107;
  return pack('S a108', AF_UNIX, $path);
}

sub family_of($address) { return unpack('S', $address) }

sub port_of($socket) { return (unpack('S n', getsockname($socket)))[1] }

1;
