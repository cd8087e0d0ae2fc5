# The commands of a sandbox: started in a session of their own, followed within a window, ended with all they started.
package Commands;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Failure;
use Json;
use Loop;
use Processes;
use Stream;
use System;

# Bytes of one stream that may be on their way to the worker; a program that prints more waits, as on any pipe.
my $window = 256 * 1024;
# After a program ended: how long its streams may stay silent, and how much they may still bring, before it is reported.
my $grace = 0.05;
my $grace_bytes = 1024 * 1024;
# And how long at all, though something that it left behind goes on printing.
my $longest_grace = 0.3;
my $kill_after = 1;

my %runs;
# Threads that fit into the sandbox; 0 when nobody looks after them.
my $room_for = 0;

sub limit_threads($count) { $room_for = $count }

# Ends processes that earlier commands left in the background if the next command needs their slots.
sub make_room($send) {
  return if $room_for == 0 || Processes::count_threads() < $room_for * 0.75;
  my $count = Processes::end_strays(map { $_->{pid} } values %runs) or return;
  $send->(
    'notice',
    text => Json::quoted(
      "$count processes that earlier commands had left behind were ended: no more than $room_for fit into the sandbox."),
  );
}

sub start($message, $base_env, $send) {
  make_room($send);
  my %run = (id => $message->{id}, send => $send, started_at => System::now(), grace_left => $grace_bytes);
  eval { launch(\%run, $message, $base_env); 1 } or do {
    my $failure = Failure::caught($@);
    $send->('failed', id => $run{id}, map { $_ => Json::quoted($failure->{$_}) } qw(code message));
    return;
  };
  $runs{ $run{id} } = \%run;
  $send->('started', id => $run{id}, pid => $run{pid});
  watch_end(\%run);
  limit_time(\%run, $message->{timeout_ms} / 1000) if $message->{timeout_ms} > 0;
}

sub launch($run, $message, $base_env) {
  my ($cwd, @command) = ($message->{cwd}, @{ $message->{command} });
  my %env = (%$base_env, %{ $message->{env} });
  # The kernel would take what is before it.
  Failure::throw('EINVAL', 'a command contains a NUL byte') if grep { /\0/ } $cwd, @command, %env;
  my $call = "spawn $command[0]";
  my $is_directory = -d $cwd;
  Failure::of_call('stat', $cwd) if !defined $is_directory && !-e $cwd;
  Failure::throw('EIO', "$cwd is not a directory") if !$is_directory;
  my ($stdin, $input) = $message->{stdin} ? pipe_or_fail() : (devnull());
  my ($output, $stdout) = pipe_or_fail();
  my ($errors, $stderr) = pipe_or_fail();
  # Closed by a successful exec; otherwise it has the error.
  my ($result, $report) = pipe_or_fail();
  my $pid = fork() // Failure::throw(Failure::code($! + 0), "$call: $!");
  if ($pid == 0) {
    become(\@command, $cwd, \%env, $stdin, $stdout, $stderr);
    syswrite($report, pack('i', $! + 0));
    System::end_now(127);
  }
  close($_) for $stdin, $stdout, $stderr, $report;
  if (my $error = read_all($result)) {
    1 while waitpid($pid, 0) < 0 && $! == System::EINTR;
    my $code = Failure::code(unpack('i', $error));
    Failure::throw($code, "$call $code");
  }
  Processes::prefer_out_of_memory($pid);
  $run->{pid} = $pid;
  $run->{stdin} = Stream->new($input) if $input;
  $run->{streams} = [map { follow($run, $_->[0], $_->[1]) } [1, $output], [2, $errors]];
}

sub pipe_or_fail() {
  pipe(my $read, my $write) or Failure::throw(Failure::code($! + 0), "pipe: $!");
  return ($read, $write);
}

# Waits for the end of a pipe. Programs inside can interrupt it by signals.
sub read_all($handle) {
  my $found = '';
  while (1) {
    my $count = sysread($handle, $found, 64, length $found);
    return $found if defined $count ? $count == 0 : $! != System::EINTR;
  }
}

sub devnull() {
  open(my $file, '<', '/dev/null') or Failure::of_call('open', '/dev/null');
  return $file;
}

# In the child: returns only when it failed, with $!.
sub become($command, $cwd, $env, $stdin, $stdout, $stderr) {
  no warnings 'exec';
  System::new_session();
  # Some are ignored here, as in any background job of a shell.
  for my $signal (keys %SIG) { $SIG{$signal} = 'DEFAULT' unless $signal =~ /^(?:KILL|STOP|__\w+__)$/ }
  chdir($cwd) or return;
  my $fd = 0;
  for my $handle ($stdin, $stdout, $stderr) { System::duplicate($handle, $fd++) or return }
  %ENV = %$env;
  exec { $command->[0] } @$command;
}

# Reads one stream of a program, never further ahead of the worker than the window.
sub follow($run, $number, $handle) {
  my $id = $run->{id};
  my %stream = (unacknowledged => 0, open => 1);
  $stream{reader} = Stream->new(
    $handle,
    data => sub ($bytes) {
      # The background processes of a command that was reported may still print.
      return if !$runs{$id} || $runs{$id} != $run;
      $stream{unacknowledged} += length $bytes;
      $run->{send}->('output', id => $id, stream => $number, data => '"' . Json::to_base64($bytes) . '"');
      $stream{reader}->pause if $stream{unacknowledged} >= $window;
      return if !$run->{ended};
      $run->{grace_left} -= length $bytes;
      settle($run);
    },
    end => sub {
      $stream{open} = 0;
      $stream{reader}->close;
      settle($run);
    },
  );
  $stream{reader}->resume;
  return \%stream;
}

# A process descriptor is readable once its process has ended. Kernels without them are asked.
sub watch_end($run) {
  my $fd = System::process_descriptor($run->{pid});
  if ($fd >= 0 && open(my $handle, '<&=', $fd)) {
    Loop::on_readable($handle, sub { reap($run) and Loop::forget($handle), close($handle) });
    return;
  }
  ask_end($run);
}

sub ask_end($run) {
  reap($run) or Loop::after(0.02, sub { ask_end($run) });
}

# True once the process has ended.
sub reap($run) {
  return 0 if waitpid($run->{pid}, System::WNOHANG) == 0;
  my $status = $?;
  Processes::signal_groups('KILL', @{ $run->{groups} }) if $run->{timed_out};
  $run->{ended} = { code => $status >> 8, signal => $status & 127 };
  $run->{report_by} = System::now() + $longest_grace;
  settle($run);
  return 1;
}

sub limit_time($run, $seconds) {
  $run->{timer} = Loop::after(
    $seconds,
    sub {
      $run->{timed_out} = 1;
      $run->{groups} = [Processes::groups_of($run->{pid})];
      Processes::signal_groups('TERM', @{ $run->{groups} });
      my $kill = sub { Processes::signal_groups('KILL', @{ $run->{groups} }, Processes::groups_of($run->{pid})) };
      $run->{timer} = Loop::after($kill_after, $kill);
    },
  );
}

# Reports the end of a run once its streams closed, or stayed silent: a background process may hold them for ever.
sub settle($run) {
  Loop::stop_timer(delete $run->{grace_timer});
  return if !$run->{ended} || !$runs{ $run->{id} } || $runs{ $run->{id} } != $run;
  my @open = grep { $_->{open} } @{ $run->{streams} };
  return report($run) if !@open || $run->{grace_left} <= 0;
  if (grep { $_->{reader}->is_paused } @open) {
    # The worker is behind, which is no silence.
    $run->{report_by} = System::now() + $longest_grace;
    return;
  }
  my $left = $run->{report_by} - System::now();
  return report($run) if $left <= 0;
  $run->{grace_timer} = Loop::after($left < $grace ? $left : $grace, sub { report($run) });
}

sub report($run) {
  forget($run);
  my ($code, $signal) = @{ $run->{ended} }{qw(code signal)};
  $run->{send}->(
    'exit',
    id => $run->{id},
    code => $signal ? 'null' : $code,
    signal => $signal ? Json::quoted(signal_name($signal)) : 'null',
    timed_out => $run->{timed_out} ? 'true' : 'false',
    duration_ms => sprintf('%.3f', (System::now() - $run->{started_at}) * 1000),
  );
}

my @signals = (
  '', qw(HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG
    XCPU XFSZ VTALRM PROF WINCH IO PWR SYS)
);

sub signal_name($number) { return 'SIG' . ($signals[$number] // $number) }

# Forgets a run. Its background processes may still print, so its streams are read and discarded.
sub forget($run) {
  Loop::stop_timer(delete $run->{$_}) for qw(timer grace_timer);
  delete $runs{ $run->{id} };
  $run->{stdin}->close if $run->{stdin};
  $_->{reader}->resume for @{ $run->{streams} };
}

sub take_input($message, $send) {
  my $bytes = Json::from_base64($message->{data});
  my $taken = sub { $send->('stdin_taken', id => $message->{id}, bytes => length $bytes) };
  my $stdin = $runs{ $message->{id} } && $runs{ $message->{id} }{stdin};
  $stdin ? $stdin->write($bytes, $taken) : $taken->();
}

sub end_input($message) {
  my $run = $runs{ $message->{id} };
  $run->{stdin}->end if $run && $run->{stdin};
}

# The worker has dealt with that many bytes of a stream.
sub acknowledge($message) {
  my $run = $runs{ $message->{id} } or return;
  my $stream = $run->{streams}[($message->{stream} // 0) - 1] or return;
  $stream->{unacknowledged} -= $message->{bytes};
  return if $stream->{unacknowledged} >= $window || !$stream->{reader}->is_paused;
  $stream->{reader}->resume;
  settle($run);
}

sub signal($message) {
  my $run = $runs{ $message->{id} };
  return if !$run || $run->{ended};
  Processes::signal_groups(substr($message->{signal}, 3), Processes::groups_of($run->{pid}));
}

sub kill_all() {
  Processes::signal_groups('KILL', Processes::groups_of($_->{pid})) for values %runs;
}

1;
