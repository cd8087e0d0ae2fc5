# A nonblocking handle: what is read goes to a callback, what is written waits until the other side takes it.
package Stream;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Loop;
use System;

my $piece = 65_536;

# Callbacks: `data` with bytes, `end` once when nothing more comes, `drain` when all was written, `broken` when the handle
# has an error and was closed (without it, `end`).
sub new($class, $handle, %on) {
  my $self = bless { handle => Loop::nonblocking($handle), on => \%on, queue => [], buffered => 0, reads => 0 }, $class;
  return $self;
}

sub buffered($self) { return $self->{buffered} }

sub has_ended($self) { return $self->{ended} }

sub on_drain($self, $callback) { $self->{on}{drain} = $callback }

sub is_closed($self) { return !defined $self->{handle} }

sub is_paused($self) { return !$self->{reads} && !$self->{ended} }

sub resume($self) {
  return if $self->{reads} || $self->{ended} || !$self->{handle};
  $self->{reads} = 1;
  Loop::on_readable($self->{handle}, sub { $self->_read });
}

sub pause($self) {
  return if !$self->{reads};
  $self->{reads} = 0;
  Loop::stop_reading($self->{handle});
}

sub _read($self) {
  my $count = sysread($self->{handle}, my $bytes, $piece);
  return $self->{on}{data}->($bytes) if $count;
  if (!defined $count) { return $! == System::EAGAIN || $! == System::EINTR ? undef : $self->_break }
  $self->pause;
  $self->{ended} = 1;
  $self->{on}{end}->() if $self->{on}{end};
}

sub _break($self) {
  my $hear = $self->{on}{broken} // $self->{on}{end};
  $self->close;
  $hear->() if $hear;
}

# `taken` is called when the kernel has the bytes, or never will.
sub write($self, $bytes, $taken = undef) {
  if (!$self->{handle} || $self->{ending}) {
    $taken->() if $taken;
    return;
  }
  push @{ $self->{queue} }, [$bytes, 0, $taken];
  $self->{buffered} += length $bytes;
  $self->_flush if !$self->{writes};
}

# Ends the output after what was written; a socket can still be read.
sub end($self) {
  return if !$self->{handle} || $self->{ending};
  $self->{ending} = 1;
  $self->_flush if !$self->{writes};
}

sub _flush($self) {
  my $queue = $self->{queue};
  while (my $first = $queue->[0]) {
    my $count = syswrite($self->{handle}, $first->[0], $piece, $first->[1]);
    if (!defined $count) {
      return $self->_wait if $! == System::EAGAIN || $! == System::EINTR;
      return $self->_break;
    }
    $first->[1] += $count;
    $self->{buffered} -= $count;
    next if $first->[1] < length $first->[0];
    shift @$queue;
    $first->[2]->() if $first->[2];
    return if !$self->{handle};
  }
  if ($self->{writes}) {
    $self->{writes} = 0;
    Loop::stop_writing($self->{handle});
    $self->{on}{drain}->() if $self->{on}{drain};
  }
  if ($self->{ending} && $self->{handle} && !@$queue && !shutdown($self->{handle}, 1)) { $self->close }
}

sub _wait($self) {
  return if $self->{writes};
  $self->{writes} = 1;
  Loop::on_writable($self->{handle}, sub { $self->_flush });
}

# What was not written is given up. Callbacks refer to their stream, so it would never be freed with them.
sub close($self) {
  my $handle = delete $self->{handle} or return;
  Loop::forget($handle);
  close($handle);
  @$self{qw(reads writes ended buffered)} = (0, 0, 1, 0);
  $self->{on} = {};
  for my $one (splice @{ $self->{queue} }) { $one->[2]->() if $one->[2] }
}

1;
