# Files that the worker reads and writes, in pieces.
package Files;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Failure;
use Json;
use Loop;
use System;

my $piece = 192 * 1024;
# Bytes of a file that were sent and not yet received by the worker.
my $read_ahead = 2 * 1024 * 1024;

my (%reads, %writes);
my $host;

# `to` is the stream to the worker: files wait until it has taken what was sent.
sub send_to($to) { $host = $to }

sub is_read($message) { return exists $reads{ $message->{id} } }

sub start_read($message, $send) {
  my ($id, $path, $most) = @$message{qw(id path max_bytes)};
  my %read = (id => $id, path => $path, most => $most, send => $send, total => 0, under_way => 0);
  eval {
    sysopen($read{file}, $path, System::O_RDONLY | System::O_NONBLOCK) or Failure::of_call('open', $path);
    Failure::throw('EINVAL', "$path is not a file") if !-f $read{file};
    refuse_large(\%read, -s _ || 0);
    1;
  } or return failed($id, $send, $@);
  $reads{$id} = \%read;
  go_on(\%read);
}

sub refuse_large($read, $size) {
  Failure::throw('EFBIG', "$read->{path} is larger than $read->{most} bytes") if $size > $read->{most};
}

# Sends the next piece, unless the worker is behind; then `acknowledge` or `drained` go on.
sub go_on($read) {
  return if !$reads{ $read->{id} } || $read->{under_way} > $read_ahead || $host->buffered > 0;
  my ($id, $send) = @$read{qw(id send)};
  my $left = $read->{most} + 1 - $read->{total};
  my $is_done = eval {
    my $count = sysread($read->{file}, my $bytes, $piece < $left ? $piece : $left) // Failure::of_call('read', $read->{path});
    $read->{total} += $count;
    # It may grow meanwhile, and some files do not tell their size.
    refuse_large($read, $read->{total});
    $read->{under_way} += $count;
    $send->('data', id => $id, data => '"' . Json::to_base64($bytes) . '"') if $count > 0;
    $count > 0 ? 'no' : 'yes';
  };
  if (!defined $is_done) {
    my $error = $@;
    delete $reads{$id};
    return failed($id, $send, $error);
  }
  return Loop::after(0, sub { go_on($read) }) if $is_done eq 'no';
  delete $reads{$id};
  $send->('done', id => $id);
}

sub drained() {
  go_on($_) for values %reads;
}

sub acknowledge($message) {
  my $read = $reads{ $message->{id} };
  $read->{under_way} -= $message->{bytes};
  go_on($read);
}

sub write_piece($message, $send) {
  my $id = $message->{id};
  eval { take_piece($message); 1 } or do {
    my $error = $@;
    delete $writes{$id};
    return failed($id, $send, $error);
  };
  $send->('done', id => $id);
}

sub take_piece($message) {
  my ($id, $path, $mode) = @$message{qw(id path mode)};
  if ($message->{first}) {
    make_directory($path =~ s{/[^/]*\z}{}r);
    unlink($path) if $message->{replace};
    # Not blocking, so that a pipe of that name is refused instead of waited for.
    sysopen($writes{$id}, $path, System::O_WRONLY | System::O_CREAT | System::O_TRUNC | System::O_NONBLOCK, $mode) or Failure::of_call('open', $path);
  }
  my $file = $writes{$id} or Failure::throw('EBADF', "$path is not open");
  my $content = Json::from_base64($message->{data});
  for (my $at = 0; $at < length $content;) {
    $at += syswrite($file, $content, length($content) - $at, $at) // Failure::of_call('write', $path);
  }
  return if !$message->{last};
  chmod($mode, $file) or Failure::of_call('chmod', $path);
  close(delete $writes{$id}) or Failure::of_call('close', $path);
}

sub make_directory($path) {
  return if $path eq '' || -d $path;
  make_directory($path =~ s{/[^/]*\z}{}r);
  mkdir($path, 0777) or $! == System::EEXIST && -d $path or Failure::of_call('mkdir', $path);
}

sub failed($id, $send, $error) {
  my $failure = Failure::caught($error);
  $send->('failed', id => $id, map { $_ => Json::quoted($failure->{$_}) } qw(code message));
}

1;
