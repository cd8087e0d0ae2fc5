#!/bin/sh
# Starts Chromium so that the kernel ends it with the program that drives it, whatever way that one ends.
exec setpriv --pdeathsig KILL "$GUILDHALL_CHROMIUM" "$@"
