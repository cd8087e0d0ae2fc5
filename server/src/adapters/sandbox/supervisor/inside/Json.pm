# JSON as the worker writes it, in bytes: texts stay in UTF-8. Base64 by pack's uuencoding, because MIME::Base64 is not in
# perl-base.
package Json;
use strict;
use warnings;
use feature 'signatures';
no warnings 'experimental::signatures';

my %control = (b => "\b", f => "\f", n => "\n", r => "\r", t => "\t");
my $text;

# Objects become hashes, lists arrays, `true` 1, `false` and `null` undef.
sub decode($json) {
  $text = $json;
  return value();
}

sub value() {
  return string() if $text =~ /\G\s*"/gc;
  return $1 if $text =~ /\G\s*(-?\d[-+.\deE]*)/gc;
  return list() if $text =~ /\G\s*\[/gc;
  return object() if $text =~ /\G\s*\{/gc;
  return 1 if $text =~ /\G\s*true/gc;
  return undef if $text =~ /\G\s*(?:false|null)/gc;
  die "no JSON\n";
}

sub list() {
  my @values;
  until ($text =~ /\G\s*\]/gc) {
    push @values, value();
    $text =~ /\G\s*,/gc;
  }
  return \@values;
}

sub object() {
  my %fields;
  until ($text =~ /\G\s*\}/gc) {
    $text =~ /\G\s*"/gc or die "no JSON\n";
    my $name = string();
    $text =~ /\G\s*:/gc or die "no JSON\n";
    $fields{$name} = value();
    $text =~ /\G\s*,/gc;
  }
  return \%fields;
}

# The rest of a string behind its first quotation mark.
sub string() {
  my $found = '';
  while (1) {
    $found .= $1 if $text =~ /\G([^"\\]+)/gc;
    return $found if $text =~ /\G"/gc;
    if ($text =~ /\G\\u([0-9a-fA-F]{4})/gc) {
      my $code = hex $1;
      $code = 0x10000 + (($code - 0xd800) << 10) + hex($1) - 0xdc00
        if $code >= 0xd800 && $code < 0xdc00 && $text =~ /\G\\u([dD][c-fC-F][0-9a-fA-F]{2})/gc;
      no warnings 'surrogate';
      my $character = chr $code;
      utf8::encode($character);
      $found .= $character;
    }
    elsif ($text =~ /\G\\(.)/gcs) { $found .= $control{$1} // $1 }
    else { die "no JSON\n" }
  }
}

# A JSON string of bytes.
sub quoted($bytes) {
  $bytes =~ s/(["\\\x00-\x1f])/sprintf '\\u%04x', ord $1/ge;
  return "\"$bytes\"";
}

sub to_base64($bytes) {
  my $found = pack('u63', $bytes);
  $found =~ s/^.//mg;
  $found =~ tr/\n//d;
  $found =~ tr{` -_}{AA-Za-z0-9+/};
  my $padding = (3 - length($bytes) % 3) % 3;
  substr($found, -$padding) = '=' x $padding if $padding > 0;
  return $found;
}

sub from_base64($base64) {
  $base64 =~ tr{A-Za-z0-9+/}{}cd;
  $base64 =~ tr{A-Za-z0-9+/}{ -_};
  my $found = '';
  # A line of uuencoding: its number of bytes, and the bytes.
  $found .= unpack('u', chr(32 + int(length($1) * 3 / 4)) . $1) while $base64 =~ /(.{1,60})/gs;
  return $found;
}

1;
