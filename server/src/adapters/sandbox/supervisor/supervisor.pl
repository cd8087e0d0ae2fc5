# Runs inside a sandbox and does what the worker asks: newline-delimited JSON over the socket whose descriptor is its
# argument, described in protocol.ts. perl-base alone, because this folder is all of the product that enters a sandbox, and
# because it starts in a tenth of the time and memory of Node.
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use lib $0 =~ s{[^/]*\z}{inside}r;
use Commands;
use Connections;
use Files;
use Forwarder;
use Json;
use Loop;
use Stream;
use System;

# Programs inside run as the same user. A handler, unlike IGNORE, is not inherited by a command.
$SIG{$_} = sub { } for qw(HUP PIPE USR1 USR2);

open(my $line, '+<&=', $ARGV[0]) or die "the connection to the worker: $!\n";
fcntl($line, System::F_SETFD, System::FD_CLOEXEC);

my %base_env;
my $pending = '';
my $host;

my $send = sub ($event, %fields) {
  $host->write(join(',', "{\"event\":\"$event\"", map { "\"$_\":$fields{$_}" } sort keys %fields) . "}\n");
};

my %operations = (
  init => \&init,
  ping => sub ($message) { $send->('pong') },
  run => sub ($message) { Commands::start($message, \%base_env, $send) },
  connect => sub ($message) { Connections::start($message, $send) },
  stdin => sub ($message) {
    Connections::is_one($message) ? Connections::take_input($message) : Commands::take_input($message, $send);
  },
  stdin_end => sub ($message) {
    Connections::is_one($message) ? Connections::end_input($message) : Commands::end_input($message);
  },
  taken => sub ($message) {
    return Files::acknowledge($message) if Files::is_read($message);
    Connections::is_one($message) ? Connections::acknowledge($message) : Commands::acknowledge($message);
  },
  signal => sub ($message) {
    Connections::is_one($message) ? Connections::stop($message) : Commands::signal($message);
  },
  read => sub ($message) { Files::start_read($message, $send) },
  write => sub ($message) { Files::write_piece($message, $send) },
);

sub init($message) {
  my $port = 0;
  %base_env = %{ $message->{env} };
  Commands::limit_threads($message->{room_for});
  if ($message->{gateway}) {
    $port = Forwarder::start($message->{port}, $message->{gateway});
    %base_env = (proxy_variables("http://127.0.0.1:$port"), %base_env);
  }
  $send->('ready', port => $port);
}

# Both spellings: programs disagree on which one they read.
sub proxy_variables($url) {
  my $direct = '127.0.0.1,localhost';
  return (map({ $_ => $url } qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY)), no_proxy => $direct, NO_PROXY => $direct);
}

sub take($bytes) {
  $pending .= $bytes;
  while ((my $end = index($pending, "\n")) >= 0) {
    my $message = Json::decode(substr($pending, 0, $end));
    substr($pending, 0, $end + 1, '');
    $operations{ $message->{op} }->($message);
  }
}

# The worker is gone, or wants us gone.
sub leave() {
  Commands::kill_all();
  System::end_now(0);
}

$host = Stream->new($line, data => \&take, end => \&leave, drain => \&Files::drained);
Files::send_to($host);
$host->resume;
Loop::run();
