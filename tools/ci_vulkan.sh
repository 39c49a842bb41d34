#!/bin/sh
# Installs Mesa's software Vulkan driver (lavapipe), so that the device `vulkan` exists without a GPU.
# Does nothing where a new enough one is installed. Debian and Ubuntu; needs root.
#
# Debian 12's own Mesa 22.3.6 silently ends every thread after 65,535 loop iterations, so version 25
# comes from its backports, which this script adds from the mirror that the machine uses already.
set -eu

package=mesa-vulkan-drivers
oldest=25

say() { printf '%s\n' "headwater: $*" >&2; }
fail() {
    say "$*"
    exit 1
}

is_new_enough() { [ -n "$1" ] && [ "$1" != "(none)" ] && dpkg --compare-versions "$1" ge "$oldest"; }
installed() { dpkg-query -W -f '${Version}' "$package" 2>/dev/null || true; }
candidate() { LC_ALL=C apt-cache policy "$package" | sed -n 's/^ *Candidate: //p'; }
install() {
    say "installing $package $2"
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $1 \
        "$package" libvulkan1 >/dev/null
}

command -v apt-get >/dev/null || fail "the package $package $oldest or newer is needed; this is no Debian or Ubuntu"
is_new_enough "$(installed)" && exit 0
[ "$(id -u)" = 0 ] || fail "root is needed to install $package; or run: sudo $0"

apt-get update -qq
if is_new_enough "$(candidate)"; then
    install "" "$(candidate)"
    exit 0
fi

# The mirror and codename of the main archive, as this machine is set up.
line=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(CODENAME) $(REPO_URI)' \
    'Created-By: Packages' | grep -E '^Debian main [a-z]+ ' | head -n 1)
[ -n "$line" ] || fail "no $package $oldest is offered here (only $(candidate))"
codename=$(echo "$line" | cut -d ' ' -f 3)
mirror=$(echo "$line" | cut -d ' ' -f 4)
say "adding $codename-backports of this machine's mirror"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $codename-backports main" \
    >/etc/apt/sources.list.d/headwater-backports.list
apt-get update -qq
install "-t $codename-backports" "from $codename-backports"
is_new_enough "$(installed)" || fail "$package is $(installed) after all; $oldest or newer is needed"
