# What the supervisor knows of the processes around it, from /proc.
package Processes;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';

# Returns a hash for each process: pid, state, parent, group, threads.
sub all() {
  my @found;
  opendir(my $directory, '/proc') or return;
  for my $pid (grep { /^\d+$/ } readdir $directory) {
    open(my $file, '<', "/proc/$pid/stat") or next;
    # A program may give itself a name with line breaks and parentheses.
    my $stat = do { local $/; <$file> } // next;
    my ($state, $parent, $group, @rest) = split ' ', substr($stat, rindex($stat, ')') + 2);
    push @found, { pid => $pid, state => $state, parent => $parent, group => $group, threads => $rest[14] };
  }
  return @found;
}

# The process group of a command, and those of all that descends from it.
sub groups_of($pid) {
  my @processes = all();
  my (%family, %groups);
  $family{$pid} = $groups{$pid} = 1;
  for (my $grew = 1; $grew;) {
    $grew = 0;
    for my $one (@processes) {
      next if !$family{ $one->{parent} } || $family{ $one->{pid} };
      $family{ $one->{pid} } = $groups{ $one->{group} } = 1;
      $grew = 1;
    }
  }
  return keys %groups;
}

sub signal_groups($signal, @groups) {
  kill($signal, map { -$_ } grep { $_ > 0 } @groups);
}

# Threads of all programs, without those of the sandbox itself.
sub count_threads() {
  my $sum = 0;
  for my $one (all()) { $sum += $one->{threads} if $one->{pid} != $$ && $one->{pid} != 1 }
  return $sum;
}

# Ends all that does not belong to these commands; returns the number of those processes. New ones may come meanwhile.
sub end_strays(@commands) {
  my %ended;
  for my $round (1 .. 20) {
    my @processes = all();
    my %kept = map { $_ => 1 } map { groups_of($_) } @commands;
    for my $one (@processes) { $kept{ $one->{group} } = 1 if $one->{pid} == $$ || $one->{pid} == 1 }
    my @strays = grep { $_->{state} ne 'Z' && $_->{group} > 0 && !$kept{ $_->{group} } } @processes;
    last if !@strays;
    $ended{ $_->{pid} } = 1 for @strays;
    signal_groups('KILL', keys %{ { map { $_->{group} => 1 } @strays } });
  }
  return scalar keys %ended;
}

# The kernel should end a command before it ends us. We may not change our own score: nobody may look into this process.
sub prefer_out_of_memory($pid) {
  open(my $file, '>', "/proc/$pid/oom_score_adj") or return;
  syswrite($file, '900');
}

1;
