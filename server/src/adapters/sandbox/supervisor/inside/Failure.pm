# An error that the worker gets: a code as `ENOENT`, and a message.
package Failure;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';
use System;

sub throw($code, $message) {
  die { code => $code, message => $message };
}

# Throws what $! says of a call, in Node's words.
sub of_call($call, $path) {
  my $code = code($! + 0);
  my $reason = lcfirst "$!";
  throw($code, "$code: $reason, $call '$path'");
}

sub code($number) { return System::error_name($number) // 'EIO' }

# Whatever was thrown, as a failure.
sub caught($error) {
  return ref $error eq 'HASH' ? $error : { code => 'EIO', message => "$error" };
}

1;
