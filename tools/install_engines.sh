#!/bin/sh
# Installs the programs that tests start beside Python: Prometheus with promtool, and
# Alertmanager. They come from Debian, and only the tests start them.
set -eu

if command -v promtool >/dev/null && command -v prometheus-alertmanager >/dev/null; then
    exit 0
fi
if ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; then
    echo "prometheus and alertmanager are not installed (apt-get as root would install them);" \
        "tests that need them are skipped" >&2
    exit 0
fi

# Debian starts a service when its package is installed, unless this file says no.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
    trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends prometheus prometheus-alertmanager >/dev/null
