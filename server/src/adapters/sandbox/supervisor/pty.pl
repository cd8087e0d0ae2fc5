# A terminal for one program: opens a pseudo-terminal, starts the program on it as the leader of a session of its own, and
# joins it to this process's pipes.
#
#   pty.pl <columns> <rows> <program> [<argument> …]
#
# Standard input has frames: a letter, the length of the rest in four bytes (big-endian), and the rest. `d` has bytes for the
# terminal, `r` its size as two numbers of two bytes. Standard output has what the terminal prints, unchanged.
use strict;
use warnings;
use Errno ();
use Fcntl;
use POSIX ();

# Of asm-generic/ioctls.h, the same on x86-64 and arm64.
use constant { TIOCSPTLCK => 0x40045431, TIOCGPTN => 0x80045430, TIOCSWINSZ => 0x5414, TIOCSCTTY => 0x540e };
my $piece = 16_384;
my $window = 65_536;
my $longest_frame = 65_536;

my ($columns, $rows, @program) = @ARGV;
die "usage: pty.pl <columns> <rows> <program>\n" unless @program;

sysopen(my $master, '/dev/ptmx', O_RDWR | O_NOCTTY) or die "no pseudo-terminal: $!\n";
ioctl($master, TIOCSPTLCK, my $unlocked = pack('i', 0)) or die "the pseudo-terminal stays locked: $!\n";
ioctl($master, TIOCGPTN, my $number = pack('I', 0)) or die "the pseudo-terminal has no name: $!\n";
my $name = '/dev/pts/' . unpack('I', $number);
# Opened here too, so that the first size is set before the program starts.
sysopen(my $slave, $name, O_RDWR | O_NOCTTY) or die "$name: $!\n";
resize($columns, $rows);

my $child = fork() // die "fork: $!\n";
if ($child == 0) {
  POSIX::setsid();
  ioctl($slave, TIOCSCTTY, 0) or die "$name cannot control a session: $!\n";
  my $terminal = fileno($slave);
  POSIX::dup2($terminal, $_) for 0 .. 2;
  close($master);
  close($slave) if $terminal > 2;
  exec { $program[0] } @program or die "$program[0]: $!\n";
}
close($slave);

$SIG{PIPE} = 'IGNORE';
my $ended = 0;
$SIG{CHLD} = sub { $ended = 1 };
nonblocking($_) for $master, \*STDIN, \*STDOUT;

# What came from standard input, what waits for the terminal, and what waits for standard output. Each is bounded: a side that
# does not take its bytes stops the other one.
my ($frames, $typed, $printed) = ('', '', '');
my ($reads_input, $reads_terminal) = (1, 1);
my $drained_by = 0;

while (1) {
  if ($ended) {
    # What it left in the terminal still comes, without waiting for what holds it open.
    $drained_by ||= time() + 1;
    last if !$reads_terminal && $printed eq '';
    last if time() > $drained_by;
  }
  last if !$reads_input && $typed eq '' && !$ended;
  my ($readable, $writable) = ('', '');
  vec($readable, fileno(STDIN), 1) = 1 if $reads_input && length($frames) < 2 * $longest_frame && length($typed) < $window;
  vec($readable, fileno($master), 1) = 1 if $reads_terminal && length($printed) < $window;
  vec($writable, fileno($master), 1) = 1 if $typed ne '' && $reads_terminal;
  vec($writable, fileno(STDOUT), 1) = 1 if $printed ne '';
  my $count = select($readable, $writable, undef, $ended ? 0.05 : 1);
  next if $count < 0;
  $reads_terminal = 0 if $ended && $count == 0;
  if (vec($readable, fileno(STDIN), 1)) {
    my $read = sysread(STDIN, $frames, $piece, length($frames));
    $reads_input = 0 if defined($read) && $read == 0;
    take_frames();
  }
  if (vec($readable, fileno($master), 1)) {
    my $read = sysread($master, $printed, $piece, length($printed));
    # EIO once nothing has it open.
    $reads_terminal = 0 if !defined($read) && !$!{EAGAIN} && !$!{EINTR} || defined($read) && $read == 0;
  }
  if ($typed ne '' && vec($writable, fileno($master), 1)) {
    my $wrote = syswrite($master, $typed, length($typed) > 4096 ? 4096 : length($typed));
    substr($typed, 0, $wrote, '') if defined $wrote;
  }
  if (vec($writable, fileno(STDOUT), 1)) {
    my $wrote = syswrite(STDOUT, $printed);
    exit(1) if !defined($wrote) && !$!{EAGAIN} && !$!{EINTR};
    substr($printed, 0, $wrote, '') if defined $wrote;
  }
}

# The end of input hangs up, as a lost line would.
if (!$ended) {
  close($master);
  kill('HUP', -$child);
}
waitpid($child, 0);
my $status = $?;
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);

sub take_frames {
  while (length($frames) >= 5) {
    my ($kind, $length) = unpack('a N', $frames);
    exit(2) if $length > $longest_frame;
    last if length($frames) < 5 + $length;
    my $rest = substr($frames, 5, $length);
    substr($frames, 0, 5 + $length, '');
    if ($kind eq 'd') { $typed .= $rest }
    elsif ($kind eq 'r') { resize(unpack('n n', $rest)) }
  }
}

sub resize {
  my ($wide, $high) = @_;
  ioctl($master, TIOCSWINSZ, my $size = pack('S4', $high, $wide, 0, 0));
}

sub nonblocking {
  my ($handle) = @_;
  fcntl($handle, F_SETFL, fcntl($handle, F_GETFL, 0) | O_NONBLOCK);
}
