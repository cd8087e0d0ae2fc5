# The event loop of the supervisor: callbacks for readable and writable handles, and timers. It waits by epoll, which tells
# events in the order they came: what a program prints to its two streams stays in order. All handles are nonblocking.
package Loop;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use System;

# struct epoll_event: events, and our data, the descriptor. Only x86-64 packs it.
my $event_format = $System::is_arm ? 'L x4 Q' : 'L Q';
my $event_bytes = length pack($event_format, 0, 0);
my ($add, $remove, $change) = (1 .. 3);
my ($in, $out) = (1, 4);
my $most_events = 64;

my ($epoll_ctl, $epoll_pwait) = map { System::number_of($_) } qw(epoll_ctl epoll_pwait);
my $epoll = syscall(System::number_of('epoll_create1'), 0x80000);
die "epoll: $!\n" if $epoll < 0;
# Callbacks by descriptor, and what each descriptor is watched for.
my (%readers, %writers, %watched);
# [time, callback] by number.
my %timers;
my $last_timer = 0;

sub on_readable($handle, $callback) {
  $readers{ fileno($handle) } = $callback;
  watch(fileno($handle));
}

sub on_writable($handle, $callback) {
  $writers{ fileno($handle) } = $callback;
  watch(fileno($handle));
}

sub stop_reading($handle) {
  delete $readers{ fileno($handle) };
  watch(fileno($handle));
}

sub stop_writing($handle) {
  delete $writers{ fileno($handle) };
  watch(fileno($handle));
}

# Forgets a handle; call it before the handle is closed.
sub forget($handle) {
  delete $readers{ fileno($handle) };
  delete $writers{ fileno($handle) };
  watch(fileno($handle));
}

sub watch($fd) {
  my $wanted = ($readers{$fd} ? $in : 0) | ($writers{$fd} ? $out : 0);
  my $before = $watched{$fd} // 0;
  return if $wanted == $before;
  my $operation = $wanted == 0 ? $remove : $before == 0 ? $add : $change;
  syscall($epoll_ctl, $epoll, $operation, $fd, pack($event_format, $wanted, $fd)) == 0 or die "epoll: $!\n";
  $watched{$fd} = $wanted;
}

# Returns the number by which the timer can be stopped.
sub after($seconds, $callback) {
  $timers{ ++$last_timer } = [System::now() + $seconds, $callback];
  return $last_timer;
}

sub stop_timer($timer) {
  delete $timers{$timer} if defined $timer;
}

sub nonblocking($handle) {
  fcntl($handle, System::F_SETFL, fcntl($handle, System::F_GETFL, 0) | System::O_NONBLOCK);
  return $handle;
}

# Runs until the process exits.
sub run() {
  my $events = "\0" x ($event_bytes * $most_events);
  while (1) {
    my $count = syscall($epoll_pwait, $epoll, $events, $most_events, run_timers(), 0, 8);
    for my $at (0 .. $count - 1) {
      my ($what, $fd) = unpack($event_format, substr($events, $at * $event_bytes, $event_bytes));
      # An error or a hang-up is told to whoever waits. A callback may have stopped a later one.
      $readers{$fd}->() if $what & ~$out && $readers{$fd};
      $writers{$fd}->() if $what & ~$in && $writers{$fd};
    }
  }
}

# Returns the milliseconds until the next timer; -1 without one.
sub run_timers() {
  my $now = System::now();
  for my $timer (sort { $a <=> $b } grep { $timers{$_}[0] <= $now } keys %timers) {
    my $due = delete $timers{$timer} or next;
    $due->[1]->();
  }
  my $next;
  for my $timer (values %timers) { $next = $timer->[0] if !defined $next || $timer->[0] < $next }
  return -1 unless defined $next;
  my $wait = ($next - System::now()) * 1000;
  # Rounded up.
  return $wait > 0 ? int($wait) + 1 : 0;
}

1;
