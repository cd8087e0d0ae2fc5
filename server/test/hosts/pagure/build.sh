#!/bin/sh
# Builds a root directory with Pagure, a git host, for the tests that need the real server: 550 MB from Debian's packages.
# Usage, as root and with debootstrap installed: build.sh DIRECTORY [MIRROR]
# The tests find it at GUILDHALL_TEST_PAGURE_ROOT, or at /var/lib/guildhall-pagure.
set -eu
root=${1:?usage: build.sh DIRECTORY [MIRROR]}
mirror=${2:-http://deb.debian.org/debian}
made=$root.making

[ ! -e "$root" ] || { echo "$root exists already. Delete it to build it again." >&2; exit 1; }
rm -rf "$made"
debootstrap --variant=minbase trixie "$made" "$mirror"

# No package may start a service here.
printf '#!/bin/sh\nexit 101\n' > "$made/usr/sbin/policy-rc.d"
chmod +x "$made/usr/sbin/policy-rc.d"
DEBIAN_FRONTEND=noninteractive chroot "$made" \
  apt-get install -y --no-install-recommends pagure pagure-webhook redis-server gunicorn
chroot "$made" apt-get clean

# Debian's build sends the headers of git over HTTP as b'…', which no client understands.
clone=$made/usr/lib/python3/dist-packages/pagure/ui/clone.py
sed -i 's/headers\[str(header\[0\].lower())\] = header\[1\]$/headers[str(header[0].lower())] = header[1].decode("utf-8")/' "$clone"
grep -q 'header\[1\].decode("utf-8")' "$clone" || { echo "$clone changed: check how it sends headers." >&2; exit 1; }

mv "$made" "$root"
echo "Pagure $(chroot "$root" dpkg-query -W -f '${Version}' pagure) is in $root."
