# The sandbox's port that leads to the gateway.
package Forwarder;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use Connections;
use Loop;
use Stream;
use System;

# Bytes that wait for one side before the other one is read no further.
my $high_water = 256 * 1024;
# When no descriptor is left, connections wait for so long.
my $pause = 0.1;

# Listens on a port of the loopback interface, or any free one for 0; returns it.
sub start($port, $gateway) {
  my $address = address_of($gateway);
  socket(my $server, System::AF_INET, System::SOCK_STREAM, 0) or die "socket: $!\n";
  setsockopt($server, System::SOL_SOCKET, System::SO_REUSEADDR, 1);
  bind($server, System::loopback($port)) or die "port $port: $!\n";
  listen($server, 511) or die "listen: $!\n";
  Loop::nonblocking($server);
  my $accept;
  $accept = sub {
    while (accept(my $inside, $server)) { forward($inside, $address, $gateway->{token}) }
    return if $! == System::EAGAIN || $! == System::EINTR || $! == System::ECONNABORTED;
    Loop::stop_reading($server);
    Loop::after($pause, sub { Loop::on_readable($server, $accept) });
  };
  Loop::on_readable($server, $accept);
  return System::port_of($server);
}

sub forward($inside, $address, $token) {
  setsockopt($inside, System::IPPROTO_TCP, System::TCP_NODELAY, 1);
  Connections::dial($address, sub ($outside) {
    my ($one, $other) = join_both($inside, $outside);
    $other->write("$token\n") if defined $token;
    $_->resume for $one, $other;
  }, sub ($code) { close($inside) });
}

sub address_of($gateway) {
  my ($path, $host, $port) = @$gateway{qw(socket host port)};
  return System::socket_file($path) if defined $path;
  require Socket;
  my ($error, @found) = Socket::getaddrinfo($host, $port, { socktype => System::SOCK_STREAM });
  die "the gateway's host $host: $error\n" if !@found;
  return $found[0]{addr};
}

# Joins two sockets: what one reads the other one writes. Both close when both have ended.
sub join_both(@sockets) {
  my @streams;
  for my $at (0, 1) {
    my $other = 1 - $at;
    $streams[$at] = Stream->new(
      $sockets[$at],
      data => sub ($bytes) {
        $streams[$other]->write($bytes);
        $streams[$at]->pause if $streams[$other]->buffered > $high_water;
      },
      drain => sub { $streams[$other]->resume if !$streams[$other]->is_closed },
      end => sub {
        $streams[$other]->end;
        close_after_writing(@streams) if $streams[0]->has_ended && $streams[1]->has_ended;
      },
      broken => sub { $streams[$other]->close },
    );
  }
  return @streams;
}

sub close_after_writing(@streams) {
  for my $stream (@streams) {
    if ($stream->buffered == 0) { $stream->close }
    else { $stream->on_drain(sub { $stream->close }) }
  }
}

1;
