# Connections to servers inside: the worker opens one to a port of the loopback interface, and its bytes take the same way
# as a command's, in the same windows. Its events are those of a command with one stream.
package Connections;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Failure;
use Json;
use Loop;
use Stream;
use System;

# Bytes that may be on their way to the worker; a server that sends more waits, as on any connection.
my $window = 256 * 1024;
my $connect_within = 5;
my $most = 64;

my %connections;

sub is_one($message) { return exists $connections{ $message->{id} } }

sub start($message, $send) {
  my ($id, $port) = @$message{qw(id port)};
  if (keys %connections >= $most) {
    $send->('failed', id => $id, code => '"EAGAIN"', message => Json::quoted("$most connections are open"));
    return;
  }
  my %connection = (id => $id, send => $send, unacknowledged => 0);
  $connections{$id} = \%connection;
  # Programs listen on either, depending on how they resolve `localhost`.
  attempt(\%connection,
    ["127.0.0.1:$port", System::loopback($port)],
    ["::1:$port", System::loopback6($port)],
  );
}

sub attempt($connection, $place, @others) {
  my ($name, $address) = @$place;
  my $refused = sub ($code) {
    return if !is_current($connection);
    return attempt($connection, @others) if @others;
    delete $connections{ $connection->{id} };
    $connection->{send}->('failed', id => $connection->{id}, code => "\"$code\"", message => "\"connect $code $name\"");
  };
  dial($address, sub ($socket) {
    return close($socket) if !is_current($connection);
    follow($connection, $socket);
    $connection->{send}->('started', id => $connection->{id});
  }, $refused);
}

sub is_current($connection) {
  my $current = $connections{ $connection->{id} };
  return $current && $current == $connection;
}

# Connects to an address, and calls one of both: with the socket, or with the code of an error.
sub dial($address, $connected, $refused) {
  socket(my $socket, System::family_of($address), System::SOCK_STREAM, 0)
    or return $refused->(Failure::code($! + 0));
  Loop::nonblocking($socket);
  return $connected->($socket) if connect($socket, $address);
  return $refused->(Failure::code($! + 0)) if $! != System::EINPROGRESS && $! != System::EAGAIN;
  my $late;
  my $end = sub ($code) {
    Loop::stop_timer($late);
    Loop::forget($socket);
    return $connected->($socket) if $code eq '';
    close($socket);
    $refused->($code);
  };
  $late = Loop::after($connect_within, sub { $end->('ETIMEDOUT') });
  Loop::on_writable($socket, sub {
    my $error = unpack('i', getsockopt($socket, System::SOL_SOCKET, System::SO_ERROR));
    $end->($error == 0 ? '' : Failure::code($error));
  });
}

sub follow($connection, $socket) {
  my ($id, $send) = @$connection{qw(id send)};
  setsockopt($socket, System::IPPROTO_TCP, System::TCP_NODELAY, 1);
  my $stream;
  $stream = $connection->{stream} = Stream->new(
    $socket,
    data => sub ($bytes) {
      $connection->{unacknowledged} += length $bytes;
      $send->('output', id => $id, stream => 1, data => '"' . Json::to_base64($bytes) . '"');
      $stream->pause if $connection->{unacknowledged} >= $window;
    },
    # The server may end its half first; nothing that we preview sends a request after its answer.
    end => sub { $stream->buffered == 0 ? ended($connection) : $stream->on_drain(sub { ended($connection) }) },
    broken => sub { ended($connection) },
  );
  $stream->resume;
}

sub ended($connection) {
  return if !is_current($connection);
  delete $connections{ $connection->{id} };
  $connection->{stream}->close if $connection->{stream};
  $connection->{send}->(
    'exit', id => $connection->{id}, code => 0, signal => 'null', timed_out => 'false', duration_ms => 0,
  );
}

sub take_input($message) {
  my $connection = $connections{ $message->{id} };
  my $bytes = Json::from_base64($message->{data});
  my $taken = sub { $connection->{send}->('stdin_taken', id => $message->{id}, bytes => length $bytes) };
  $connection->{stream} ? $connection->{stream}->write($bytes, $taken) : $taken->();
}

sub end_input($message) {
  my $stream = $connections{ $message->{id} }{stream};
  $stream->end if $stream;
}

# The worker has dealt with that many bytes.
sub acknowledge($message) {
  my $connection = $connections{ $message->{id} };
  $connection->{unacknowledged} -= $message->{bytes};
  $connection->{stream}->resume if $connection->{stream} && $connection->{unacknowledged} < $window;
}

sub stop($message) { ended($connections{ $message->{id} }) }

1;
